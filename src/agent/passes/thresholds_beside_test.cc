#include "agent/passes/thresholds_beside.h"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace jettison {
namespace {

using Which = std::vector<std::size_t>;

Threshold On(Signal signal, Duration grace = {}) {
  return {.signal = signal, .value = Quantity::Of(1), .grace_period = grace};
}

// Not in the order of urgency.
const std::vector<Threshold> kInNoOrder = {
    On(Signal::kPidAvailable),
    On(Signal::kSwapAvailable),
    On(Signal::kAllocatableMemoryAvailable),
    On(Signal::kMemoryAvailable),
    On(Signal::kMemoryAvailable, std::chrono::minutes(1)),
};

class ThresholdsBesideTest : public testing::Test {
 protected:
  // All that are beside this one, where those act, in their order.
  [[nodiscard]] Which Beside(std::optional<std::size_t> waits, const Which& acting) const {
    ReadingPlan plan{.threshold = waits};
    for (const std::size_t i : acting) plan.evaluation.acting[i] = true;
    ThresholdsBeside beside(kInNoOrder, wait_, plan);
    Which which;
    while (const auto next = beside.Next()) which.push_back(*next);
    return which;
  }
  // A pod has been evicted for the resource and is not gone yet.
  void Await(Resource resource) { wait_.Begin({"ending"}, resource, true, Instant{}); }

  EvictionWait wait_;
};

TEST_F(ThresholdsBesideTest, TheMostUrgentComesFirstAndEachOnce) {
  EXPECT_EQ(Beside(4, {0, 1, 2, 4}), (Which{2, 1, 0}));
  EXPECT_EQ(Beside(3, {0, 1, 2, 3, 4}), (Which{1, 0}));
}

TEST_F(ThresholdsBesideTest, OnlyThresholdsThatActCount) {
  EXPECT_EQ(Beside(4, {0, 4}), Which{0});
  EXPECT_EQ(Beside(4, {4}), Which{});
}

TEST_F(ThresholdsBesideTest, NothingIsBesideAPlanThatActsForNoThreshold) {
  EXPECT_EQ(Beside(std::nullopt, {0, 1}), Which{});
}

TEST_F(ThresholdsBesideTest, SwapIsLeftOutWhileAPodIsEndingForMemory) {
  Await(Resource::kPids);
  EXPECT_EQ(Beside(3, {0, 1, 3}), (Which{1, 0}));
  Await(Resource::kMemory);
  EXPECT_EQ(Beside(3, {0, 1, 3}), Which{0});
}

}  // namespace
}  // namespace jettison
