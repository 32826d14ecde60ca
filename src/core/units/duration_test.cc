#include "core/units/duration.h"

#include <gtest/gtest.h>

#include <vector>

namespace jettison {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;

TEST(Duration, WhatGoRefusesIsRefusedAndTheMessageSaysWhatToWrite) {
  struct Row {
    const char* text;
    const char* why;
  };
  const std::vector<Row> rows = {
      {"", "it is empty; write a number and a unit such as 30s"},
      {"-", "it is empty; write a number and a unit such as 30s"},
      {"30", "a unit is missing, such as in 30s"},
      {"1h 2m", "units are ns, us, ms, s, m and h"},
      {"1d", "units are ns, us, ms, s, m and h"},
      {"s", "a number must come before each unit"},
      {"1h-3m", "units are ns, us, ms, s, m and h"},
      {" 1s", "a number must come before each unit"},
      {".s", "a point needs a digit beside it"},
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

}  // namespace
}  // namespace jettison
