#include "core/pass/pass_decision.h"

#include <gtest/gtest.h>

#include <vector>

namespace jettison {
namespace {

Threshold Of(Signal signal, Duration grace = {}) {
  return {.signal = signal, .value = Quantity::Of(1), .grace_period = grace};
}

// Of these, all act.
const std::vector<Threshold> kThresholds = {
    Of(Signal::kMemoryAvailable),
    Of(Signal::kMemoryAvailable, std::chrono::minutes(1)),
    Of(Signal::kAllocatableMemoryAvailable),
    Of(Signal::kSwapAvailable),
    Of(Signal::kNodeFsAvailable),
    Of(Signal::kPidAvailable),
    Of(Signal::kIoPressureFullAvg10, std::chrono::minutes(1)),
};

std::vector<std::size_t> Beside(std::size_t waits) {
  ThresholdSet acting;
  for (std::size_t i = 0; i < kThresholds.size(); ++i) acting[i] = true;
  const ThresholdSet beside = OtherHardThresholds(kThresholds, acting, waits);
  std::vector<std::size_t> which;
  for (std::size_t i = 0; i < kMaxThresholds; ++i) {
    if (beside[i]) which.push_back(i);
  }
  return which;
}

using Which = std::vector<std::size_t>;

TEST(OtherHardThresholds, WhereAHardOneWaitsHardOnesOnOtherResourcesNeedNot) {
  EXPECT_EQ(Beside(0), (Which{3, 5}));
  EXPECT_EQ(Beside(5), (Which{0, 2, 3}));
}

TEST(OtherHardThresholds, WhereASoftOneWaitsHardOnesOnOtherSignalsNeedNot) {
  EXPECT_EQ(Beside(1), (Which{2, 3, 5}));
}

TEST(OtherHardThresholds, NothingIsBesideADiskBecauseAPassWithoutDiskUseActsForThat) {
  EXPECT_EQ(Beside(4), Which{});
}

TEST(OtherHardThresholds, OnlyThresholdsThatActCount) {
  EXPECT_TRUE(OtherHardThresholds(kThresholds, {}, 0).none());
}

}  // namespace
}  // namespace jettison
