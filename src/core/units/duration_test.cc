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

TEST(Duration, IsReadAsGoReadsIt) {
  struct Row {
    const char* text;
    Duration duration;
  };
  const std::vector<Row> rows = {
      {"0", Duration(0)},
      {"-0", Duration(0)},
      {"30s", seconds(30)},
      {"1h2m3s", hours(1) + minutes(2) + seconds(3)},
      {"3s1h", hours(1) + seconds(3)},
      {"1.5h", minutes(90)},
      {".5s", milliseconds(500)},
      {"5.s", seconds(5)},
      {"+5s", seconds(5)},
      {"-1.5s", milliseconds(-1500)},
      {"1\u00b5s", nanoseconds(1000)},
      {"1\u03bcs", nanoseconds(1000)},
      {"0.3333333333333333333333333h", minutes(20)},
      {"0.0000000001s", Duration(0)},
      {"9223372036854775807ns", Duration::max()},
      {"-9223372036854775808ns", Duration::min()},
  };
  for (const Row& row : rows) {
    const auto duration = ParseDuration(row.text);
    ASSERT_TRUE(duration) << row.text;
    EXPECT_EQ(duration->count(), row.duration.count()) << row.text;
  }
}

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

TEST(Duration, IsWrittenAsGoWritesIt) {
  struct Row {
    Duration duration;
    const char* text;
  };
  const std::vector<Row> rows = {
      {Duration(0), "0s"},
      {nanoseconds(1), "1ns"},
      {nanoseconds(1100), "1.1\u00b5s"},
      {milliseconds(100), "100ms"},
      {nanoseconds(2'200'000), "2.2ms"},
      {milliseconds(-1500), "-1.5s"},
      {minutes(1), "1m0s"},
      {hours(1), "1h0m0s"},
      {hours(26) + milliseconds(1), "26h0m0.001s"},
      {Duration::max(), "2562047h47m16.854775807s"},
      {Duration::min(), "-2562047h47m16.854775808s"},
  };
  for (const Row& row : rows) EXPECT_EQ(FormatDuration(row.duration), row.text);
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
