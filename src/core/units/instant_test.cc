#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "core/units/duration.h"

namespace jettison {
namespace {

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

}  // namespace
}  // namespace jettison
