#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "codec/prometheus/prometheus.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

Instant At(std::int64_t ms) {
  return Instant(milliseconds(ms));
}

SampleLine Sample(std::string_view line) {
  const auto read = ReadSampleLine(line);
  EXPECT_TRUE(read) << line << ": " << (read ? "" : read.error().message);
  return read && *read ? **read : SampleLine{};
}

TEST(SampleText, OpenMetricsCountsSecondsAndADumpMilliseconds) {
  EXPECT_EQ(Sample(R"(up{job="a"} 1 1767225600.25)").at, At(1767225600250));
  EXPECT_EQ(Sample(R"({__name__="up", job="a"} 1 1767225600250)").at, At(1767225600250));
  EXPECT_EQ(Sample("up 1 1767225600").at, At(1767225600000));
  EXPECT_EQ(Sample("up 1 1767225600250").at, At(1767225600250)) << "the older text format";
}

TEST(SampleText, WhatIsNoSampleIsRefusedWithItsReason) {
  const std::pair<const char*, const char*> rows[] = {
      {"up", "neither a sample"},
      {"up 1", "has no time"},
      {"up 1 # {a=\"b\"} 1", "has no time"},
      {"up one 1", "\"one\" is no value"},
      {"up 1 noon", "\"noon\" is no time"},
      {"up 1 1e30", "is no time"},
      {"up 1 NaN", "is no time"},
      {"up 1 2 3", "more than a series"},
      {"up{a=\"b\" 1 2", "neither a sample"},
  };
  for (const auto& [line, why] : rows) {
    const auto read = ReadSampleLine(line);
    ASSERT_FALSE(read) << line;
    EXPECT_THAT(read.error().message, HasSubstr(why)) << line;
  }
}

TEST(SampleText, LabelsThatBreakTheFormAreRefused) {
  const std::pair<const char*, const char*> rows[] = {
      {"{a=\"b\"}", "no name"},
      {"up{a=\"b\",a=\"c\"}", "there twice"},
      {"up{a}", "the form"},
      {"up{a=b}", "the form"},
      {"up{a=\"b}", "the form"},
      {"up{a=\"b\" c=\"d\"}", "the form"},
      {"up{=\"b\"}", "the form"},
      {"up{a=\"b\"", "the form"},
      {"up{__name__=\"x\"}", "two names"},
  };
  for (const auto& [text, why] : rows) {
    const auto read = ReadSeries(text);
    ASSERT_FALSE(read) << text;
    EXPECT_THAT(read.error().message, HasSubstr(why)) << text;
  }
}

}  // namespace
}  // namespace jettison
