#include "core/units/duration.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace jettison {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;

TEST(Duration, WhatGoRefusesIsRefusedAndTheMessageSaysWhatToWrite) {
  constexpr const char* kForm = "write a number and a unit, such as 1m30s";
  struct Row {
    const char* text;
    const char* why;
  };
  const std::vector<Row> rows = {
      {"", kForm},
      {"-", kForm},
      {"30", kForm},
      {"1h 2m", kForm},
      {"1d", kForm},
      {"s", kForm},
      {"1h-3m", kForm},
      {" 1s", kForm},
      {".s", kForm},
      {"9223372036854775808ns", "it is longer than 292 years"},
      {"99999999999999999999s", "it is longer than 292 years"},
      {"2562047h48m", "it is longer than 292 years"},
      {"2562048h", "it is longer than 292 years"},
      {"2562047.9999h", "it is longer than 292 years"},
  };
  for (const Row& row : rows) {
    const auto duration = ParseDuration(row.text);
    ASSERT_FALSE(duration) << row.text;
    EXPECT_EQ(duration.error().message,
              "\"" + std::string(row.text) + "\" is not a duration: " + row.why);
  }
}

TEST(Duration, OneThatIsTooLongIsToldTheLongest) {
  EXPECT_EQ(WhyNoDuration("2562048h", "otherwise"),
            "must be at most " + FormatDuration(Duration::max()) + ", which is 292 years");
  for (const char* text : {"-9999999h", "1x", ""}) {
    EXPECT_EQ(WhyNoDuration(text, "otherwise"), "otherwise") << text;
  }
}

std::int64_t Nanoseconds(std::string_view text) {
  return ParseInstant(text).value().time_since_epoch().count();
}

TEST(Instant, Rfc3339IsReadToTheNanosecond) {
  struct Row {
    const char* text;
    std::int64_t nanoseconds;
  };
  const std::vector<Row> rows = {
      {"1970-01-01T00:00:00Z", 0},
      {"1970-01-01T00:00:00.000000001Z", 1},
      {"1969-12-31T23:59:59.5Z", -500'000'000},
      {"2026-01-01T00:00:00Z", 1'767'225'600'000'000'000},
      {"2024-02-29T12:00:00.25+02:00", 1'709'200'800'250'000'000},
      {"1970-01-01T00:00:00-00:30", 1'800'000'000'000},
      {"1970-01-01T00:00:00.1234567899Z", 123'456'789},
      {"2262-04-11T23:47:16.854775807Z", INT64_MAX},
      {"1677-09-21T00:12:43.145224192Z", INT64_MIN},
  };
  for (const Row& row : rows) {
    const auto instant = ParseInstant(row.text);
    ASSERT_TRUE(instant) << row.text;
    EXPECT_EQ(instant->time_since_epoch().count(), row.nanoseconds) << row.text;
  }
}

TEST(Instant, WhatIsNoSuchDateOrNotWrittenOutIsRefused) {
  for (const char* text : {"",
                           "2026-01-01",
                           "2026-01-01T00:00:00",
                           "2026-1-1T00:00:00Z",
                           "2026-13-01T00:00:00Z",
                           "2026-02-29T00:00:00Z",
                           "2026-00-10T00:00:00Z",
                           "2026-01-01 00:00:00Z",
                           "2026-01-01T24:00:00Z",
                           "2026-01-01T00:60:00Z",
                           "2026-01-01T00:00:60Z",
                           "2026-01-01T00:00:00.Z",
                           "2026-01-01T00:00:00+0100",
                           "2026-01-01T00:00:00z",
                           "2026-01-01T00:00:00Z ",
                           "20260101T000000Z",
                           "-026-01-01T00:00:00Z",
                           "2026-01-01T00:00:00+24:00",
                           "0001-01-01T00:00:00Z",
                           "2262-04-11T23:47:16.854775808Z",
                           "1677-09-21T00:12:43.145224191Z"}) {
    EXPECT_FALSE(ParseInstant(text)) << '"' << text << '"';
  }
}

TEST(Instant, IsWrittenInUtcWithoutTrailingZeros) {
  for (const char* text : {"1970-01-01T00:00:00Z", "1969-12-31T23:59:59.5Z",
                           "2026-01-31T12:34:56.000000001Z", "2000-02-29T00:00:00.12Z",
                           "2262-04-11T23:47:16.854775807Z", "1677-09-21T00:12:43.145224192Z"}) {
    EXPECT_EQ(FormatInstant(Instant(Duration(Nanoseconds(text)))), text);
  }
  EXPECT_EQ(FormatInstant(ParseInstant("2026-06-01T00:00:00+02:00").value()),
            "2026-05-31T22:00:00Z");
}

TEST(DurationConformance, EveryRecordedDurationIsReadAndWrittenAsGoDoes) {
  std::ifstream file(JETTISON_VECTORS "/durations.ndjson");
  int records = 0;
  for (std::string line; std::getline(file, line); ++records) {
    const auto record = nlohmann::json::parse(line);
    SCOPED_TRACE(line);
    const auto duration = ParseDuration(record.at("in").get<std::string>());
    ASSERT_EQ(duration.has_value(), record.at("ok").get<bool>());
    if (!duration) continue;
    EXPECT_EQ(std::to_string(duration->count()), record.at("nanoseconds").get<std::string>());
    EXPECT_EQ(FormatDuration(*duration), record.at("canonical").get<std::string>());
  }
  EXPECT_EQ(records, 185);
}

}  // namespace
}  // namespace jettison
