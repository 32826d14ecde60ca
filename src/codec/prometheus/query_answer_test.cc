#include "codec/prometheus/query_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <utility>
#include <vector>

namespace jettison {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

// Everything that it is given.
struct Collector final : SeriesSink {
  bool Begin(const MetricSeries& which) override {
    series.push_back(which);
    return wants;
  }
  Result<void> Add(Instant at, double value) override {
    if (full) return Fail(ErrorCode::kInvalidArgument, "it is full");
    samples.emplace_back(at, value);
    return {};
  }
  std::vector<MetricSeries> series;
  std::vector<std::pair<Instant, double>> samples;
  bool wants = true;
  bool full = false;
};

constexpr const char* kMatrix =
    R"({"status":"success","warnings":["be careful"],"data":{"resultType":"matrix","result":[)"
    R"({"metric":{"__name__":"up","job":"a"},"values":[[1767225600.25,"1"],[1767225615,"NaN"]]},)"
    R"({"metric":{"__name__":"h"},"histograms":[]}]}})";

TEST(QueryAnswer, SeriesAndTheirSamplesAreHandedOver) {
  Collector sink;
  const auto read = ReadQueryAnswer(kMatrix, sink);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_THAT(read->warnings, ElementsAre("be careful"));
  ASSERT_THAT(sink.samples, SizeIs(2));
  EXPECT_EQ(sink.series[0].name, "up");
  EXPECT_EQ(sink.series[0].Label("job"), "a");
  EXPECT_EQ(sink.samples[0].first, Instant(std::chrono::milliseconds(1767225600250)));
}

TEST(QueryAnswer, SamplesThatNobodyWantsAreNotRead) {
  Collector sink;
  sink.wants = false;
  EXPECT_TRUE(ReadQueryAnswer(kMatrix, sink));
  EXPECT_THAT(sink.samples, SizeIs(0));
}

TEST(QueryAnswer, AFaultOfTheSinkEndsIt) {
  Collector sink;
  sink.full = true;
  const auto read = ReadQueryAnswer(kMatrix, sink);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "it is full");
}

TEST(QueryAnswer, ARefusalIsToldInTheWordsOfPrometheus) {
  const std::pair<const char*, ErrorCode> rows[] = {{"bad_data", ErrorCode::kInvalidArgument},
                                                    {"timeout", ErrorCode::kDeadlineExceeded},
                                                    {"unavailable", ErrorCode::kUnavailable},
                                                    {"execution", ErrorCode::kInternal}};
  for (const auto& [kind, code] : rows) {
    Collector sink;
    const auto read = ReadQueryAnswer(
        std::string(R"({"status":"error","errorType":")") + kind + R"(","error":"too much"})",
        sink);
    ASSERT_FALSE(read) << kind;
    EXPECT_EQ(read.error().code, code) << kind;
    EXPECT_EQ(read.error().message, std::string(kind) + ": too much");
  }
}

TEST(QueryAnswer, ARefusalIsToldWithWhatItSays) {
  const std::pair<const char*, const char*> rows[] = {
      {R"({"status":"error","errorType":"bad_data"})", "bad_data"},
      {R"({"status":"error","error":"too much"})", "too much"},
      {R"({"status":"error"})", "the server reports an error, but not which"}};
  for (const auto& [text, message] : rows) {
    Collector sink;
    const auto read = ReadQueryAnswer(text, sink);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().message, message);
  }
}

TEST(QueryAnswer, WhatIsNoAnswerIsRefused) {
  for (
      const char* text :
      {"", "<html>", "[]", "{}", R"({"status":"success"})",
       R"({"status":"success","data":{"resultType":"vector","result":[]}})",
       R"({"status":"success","data":{"resultType":"matrix","result":[{}]}})",
       R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":{"a":1}}]}})",
       R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":[1]}]}})",
       R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":[[1e40,"1"]]}]}})",
       R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":[[1,"x"]]}]}})"}) {
    Collector sink;
    const auto read = ReadQueryAnswer(text, sink);
    ASSERT_FALSE(read) << text;
    EXPECT_THAT(read.error().message, HasSubstr("no answer of Prometheus' HTTP API")) << text;
  }
}

TEST(QueryAnswer, AListOfSeriesIsRead) {
  std::vector<MetricSeries> series;
  const auto read = ReadSeriesAnswer(
      R"({"status":"success","data":[{"__name__":"up","job":"a"},{"__name__":"down"}]})",
      [&](const MetricSeries& each) { series.push_back(each); });
  ASSERT_TRUE(read);
  ASSERT_THAT(series, SizeIs(2));
  EXPECT_EQ(series[1].name, "down");
  EXPECT_FALSE(ReadSeriesAnswer(R"({"status":"success","data":[1]})", [](const auto&) {}));
}

}  // namespace
}  // namespace jettison
