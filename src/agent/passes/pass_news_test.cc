#include "agent/passes/pass_news.h"

#include <gtest/gtest.h>

#include <array>

namespace jettison {
namespace {

constexpr std::size_t kMemory = 0;
constexpr std::size_t kStalls = 1;
constexpr std::size_t kDisk = 2;
const std::array<Threshold, 3> kThresholds = {{{.signal = Signal::kMemoryAvailable},
                                               {.signal = Signal::kMemoryPressureSomeAvg10},
                                               {.signal = Signal::kNodeFsAvailable}}};

Evaluation Met(std::size_t threshold, bool acting) {
  Evaluation evaluation;
  evaluation.met[threshold] = true;
  evaluation.acting[threshold] = acting;
  return evaluation;
}

TEST(PassNews, AThresholdThatActsOrIsNewlyMetAndAConditionThatChangesAreNews) {
  EXPECT_FALSE(HasNews(Evaluation(), EvictionState()));
  EXPECT_TRUE(HasNews(Met(kDisk, false), EvictionState()));
  EXPECT_TRUE(HasNews(Met(kDisk, true), EvictionState()));
  EvictionState before;
  before.first_observed_at[kDisk] = Instant();
  EXPECT_FALSE(HasNews(Met(kDisk, false), before)) << "it was met before";
  before.conditions.Set(NodeConditionType::kDiskPressure);
  EXPECT_TRUE(HasNews(Evaluation(), before));
}

TEST(PassNews, OfMemoryNoDiskCounts) {
  EXPECT_TRUE(HasNewsOfMemory(kThresholds, Met(kMemory, true), EvictionState(), {}));
  EXPECT_FALSE(HasNewsOfMemory(kThresholds, Met(kDisk, true), EvictionState(), {}));
}

TEST(PassNews, WhatAPassHasActedForIsNoNews) {
  EvictionState before;
  before.first_observed_at.fill(Instant());
  const ThresholdSet acted(0b111);
  for (const auto threshold : {kMemory, kStalls}) {
    EXPECT_TRUE(HasNewsOfMemory(kThresholds, Met(threshold, true), before, {}));
    EXPECT_FALSE(HasNewsOfMemory(kThresholds, Met(threshold, true), before, acted));
  }
}

}  // namespace
}  // namespace jettison
