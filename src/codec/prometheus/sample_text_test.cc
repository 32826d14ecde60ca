#include "codec/prometheus/sample_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

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

TEST(SampleText, BothFormsNameTheSameSeries) {
  const auto a = ReadSeries(Sample(R"(up{job="a", x="b\"}\\\n",} 1 2)").series);
  const auto b = ReadSeries(Sample(R"({__name__="up",job="a",x="b\"}\\\n"} 1 2000)").series);
  ASSERT_TRUE(a && b);
  EXPECT_EQ(*a, *b);
  EXPECT_EQ(a->name, "up");
  EXPECT_EQ(a->Label("x"), "b\"}\\\n");
  EXPECT_EQ(a->Label("y"), "");
  EXPECT_EQ(ReadSeries(R"({"a.b",c="d"})").value().name, "a.b");
}

TEST(SampleText, NumbersAreThoseOfPrometheus) {
  EXPECT_EQ(Sample("a 1.5e+07 1").value, 1.5e7);
  EXPECT_EQ(Sample("a -Inf 1").value, -INFINITY);
  EXPECT_EQ(Sample("a +Inf 1").value, INFINITY);
  EXPECT_TRUE(std::isnan(Sample("a NaN 1").value)) << "a stale marker";
}

TEST(SampleText, CommentsAndExemplarsArePassedOver) {
  for (const char* line : {"", "  ", "# TYPE a gauge", "# EOF", "\r"}) {
    const auto read = ReadSampleLine(line);
    ASSERT_TRUE(read) << line;
    EXPECT_FALSE(*read) << line;
  }
  EXPECT_EQ(Sample("a_total 3 1 # {trace_id=\"x\"} 1 1").value, 3);
  EXPECT_TRUE(IsEndOfMetrics("# EOF"));
  EXPECT_FALSE(IsEndOfMetrics("# EO"));
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
      {"up{a}", "\"=\" is missing"},
      {"up{a=b}", "not in quotes"},
      {"up{a=\"b}", "does not end"},
      {"up{a=\"b\" c=\"d\"}", "comma"},
      {"up{=\"b\"}", "has no name"},
      {"up{a=\"b\"", "do not end"},
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
