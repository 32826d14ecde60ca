#include "core/units/duration.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace jettison {
namespace {

TEST(Duration, WhatGoRefusesIsRefusedAndTheMessageSaysWhatToWrite) {
  const auto expect = [](const std::string& text, const std::string& why) {
    const auto duration = ParseDuration(text);
    ASSERT_FALSE(duration) << text;
    EXPECT_EQ(duration.error().message, "\"" + text + "\" is not a duration: " + why);
  };
  for (const char* text : {"", "-", "30", "1h 2m", "1d", "s", "1h-3m", " 1s", ".s"}) {
    expect(text, "write a number and a unit, such as 1m30s");
  }
  for (const char* text : {"9223372036854775808ns", "99999999999999999999s", "2562047h48m",
                           "2562048h", "2562047.9999h"}) {
    expect(text, "it is longer than 292 years");
  }
}

TEST(Instant, Rfc3339IsReadToTheNanosecond) {
  for (const auto& [text, nanoseconds] :
       std::initializer_list<std::pair<const char*, std::int64_t>>{
           {"1970-01-01T00:00:00Z", 0},
           {"1970-01-01T00:00:00.000000001Z", 1},
           {"1969-12-31T23:59:59.5Z", -500'000'000},
           {"2026-01-01T00:00:00Z", 1'767'225'600'000'000'000},
           {"2024-02-29T12:00:00.25+02:00", 1'709'200'800'250'000'000},
           {"1970-01-01T00:00:00-00:30", 1'800'000'000'000},
           {"1970-01-01T00:00:00.1234567899Z", 123'456'789},
           {"2262-04-11T23:47:16.854775807Z", INT64_MAX},
           {"1677-09-21T00:12:43.145224192Z", INT64_MIN},
       }) {
    EXPECT_EQ(ParseInstant(text), Instant(Duration(nanoseconds))) << text;
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
    EXPECT_EQ(FormatInstant(ParseInstant(text).value()), text);
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
