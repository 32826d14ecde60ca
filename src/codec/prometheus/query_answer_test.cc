#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "codec/prometheus/prometheus.h"

namespace jettison {
namespace {

using testing::HasSubstr;

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

}  // namespace
}  // namespace jettison
