#include "codec/prometheus/prometheus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>

namespace jettison {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(PrometheusAnswer, SamplesThatAreNotFiniteAreLeftOut) {
  const auto read = ReadPrometheusAnswer(
      R"({"status":"success","warnings":["a store is away"],"data":{"resultType":"matrix",)"
      R"("result":[{"metric":{"__name__":"up","job":"a"},)"
      R"("values":[[1767225600.25,"1.5"],[1767225601,"NaN"],[1767225602,"+Inf"]]}]}})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_THAT(read->warnings, ElementsAre("a store is away"));
  ASSERT_EQ(read->series.size(), 1U);
  EXPECT_EQ(read->series[0].name, "up");
  EXPECT_EQ(read->series[0].Label("job"), "a");
  ASSERT_EQ(read->series[0].samples.size(), 1U);
  EXPECT_EQ(read->series[0].samples[0].at, Instant(std::chrono::milliseconds(1'767'225'600'250)));
  EXPECT_EQ(read->series[0].samples[0].value, 1.5);
}

TEST(PrometheusAnswer, AListOfSeriesHasNoSamples) {
  const auto read = ReadPrometheusAnswer(
      R"({"status":"success","data":[{"__name__":"up","job":"a"},{"__name__":"up"}]})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->series.size(), 2U);
}

TEST(PrometheusAnswer, ARefusalIsToldInTheWordsOfPrometheus) {
  const std::pair<const char*, ErrorCode> rows[] = {{"bad_data", ErrorCode::kInvalidArgument},
                                                    {"timeout", ErrorCode::kDeadlineExceeded},
                                                    {"unavailable", ErrorCode::kUnavailable},
                                                    {"execution", ErrorCode::kInternal}};
  for (const auto& [kind, code] : rows) {
    const auto read = ReadPrometheusAnswer(std::string(R"({"status":"error","errorType":")") +
                                           kind + R"(","error":"too much"})");
    ASSERT_FALSE(read) << kind;
    EXPECT_EQ(read.error().code, code) << kind;
    EXPECT_EQ(read.error().message, std::string(kind) + ": too much");
  }
}

TEST(PrometheusAnswer, WhatIsNoAnswerIsRefused) {
  for (
      const char* text :
      {"", "<html>", "[]", "{}", R"({"status":"success"})",
       R"({"status":"success","data":{"resultType":"vector","result":[]}})",
       R"({"status":"success","data":{"resultType":"matrix","result":[{}]}})",
       R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":{"a":1}}]}})",
       R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":[1]}]}})",
       R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":[[1e40,"1"]]}]}})",
       R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":[[1,"x"]]}]}})"}) {
    const auto read = ReadPrometheusAnswer(text);
    ASSERT_FALSE(read) << text;
    EXPECT_THAT(read.error().message, HasSubstr("no answer of Prometheus' HTTP API")) << text;
  }
}

}  // namespace
}  // namespace jettison
