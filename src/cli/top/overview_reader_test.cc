#include <gtest/gtest.h>

#include "api/overview/overview.h"
#include "cli/top/overview_test_values.h"
#include "cli/top/top.h"

namespace jettison {
namespace {

using overview_test::UnderPressure;

TEST(OverviewReader, ReadsBackEverythingThatIsWritten) {
  Overview overview = UnderPressure();
  overview.pods.push_back(overview_test::Refused("shy"));
  overview.pods.back().refused_until = overview_test::At(90);
  overview.events.push_back(overview_test::RefusalOf("shy"));
  const std::string json = OverviewJson(overview);
  const auto read = ReadOverview(json);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(OverviewJson(*read), json);
  EXPECT_EQ(read->pods.back().refused_until, overview_test::At(90));
  EXPECT_EQ(read->events.back().refused_for, "MemoryPressure");
}

TEST(OverviewReader, FieldsThatAreNotSentAreAbsent) {
  const auto read = ReadOverview(
      R"({"at": "2026-11-21T12:00:00Z", "new": {"field": []}, "events": null,
          "signals": [{"signal": "memory.available", "thresholds": [{}], "available": "much"}]})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->at, overview_test::At(0));
  ASSERT_EQ(read->signals.size(), 1U);
  EXPECT_EQ(read->signals[0].thresholds.size(), 1U);
  EXPECT_FALSE(read->signals[0].capacity);
  EXPECT_FALSE(read->signals[0].available) << "what is no number is no amount";
}

TEST(OverviewReader, WhatIsNoOverviewIsRefused) {
  for (const char* text : {"", "{}", "[]", "{\"at\": 1", R"({"kind": "Status"})"}) {
    EXPECT_FALSE(ReadOverview(text)) << text;
  }
}

}  // namespace
}  // namespace jettison
