#include "agent/passes/pass_news.h"

#include <gtest/gtest.h>

namespace jettison {
namespace {

constexpr std::size_t kMemory = 0;
constexpr std::size_t kDisk = 2;

Evaluation Met(std::size_t threshold, bool acting) {
  Evaluation evaluation;
  evaluation.met[threshold] = true;
  evaluation.acting[threshold] = acting;
  return evaluation;
}

TEST(PassNews, AThresholdThatActsOrIsNewlyMetAndAConditionThatChangesAreNews) {
  EXPECT_FALSE(HasNews(Evaluation(), EvictionState(), {}));
  EXPECT_TRUE(HasNews(Met(kDisk, false), EvictionState(), {}));
  EXPECT_TRUE(HasNews(Met(kDisk, true), EvictionState(), {}));
  EvictionState before;
  before.first_observed_at[kDisk] = Instant();
  EXPECT_FALSE(HasNews(Met(kDisk, false), before, {})) << "it was met before";
  before.conditions.Set(NodeConditionType::kDiskPressure);
  EXPECT_TRUE(HasNews(Evaluation(), before, {}));
}

TEST(PassNews, WhatAPassHasActedForIsNoNews) {
  EvictionState before;
  before.first_observed_at.fill(Instant());
  EXPECT_TRUE(HasNews(Met(kMemory, true), before, {}));
  EXPECT_FALSE(HasNews(Met(kMemory, true), before, ThresholdSet(0b111)));
}

}  // namespace
}  // namespace jettison
