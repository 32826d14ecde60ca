#include "agent/evictions/held_sums.h"

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <string>
#include <utility>

namespace jettison {
namespace {

// A pod that holds some MiB of memory.
class HeldSumsTest : public testing::Test {
 protected:
  const PodFacts& Facts(const std::string& uid) {
    Pod pod;
    pod.uid = uid;
    return facts_.emplace_back(FactsOf(std::move(pod), Profile::kKubelet));
  }
  ActivePod With(const PodFacts& facts, std::uint64_t mib) {
    PodStats& stats = stats_.emplace_back();
    stats.memory_working_set_bytes = mib << 20;
    return {.facts = &facts, .stats = &stats};
  }
  HeldAmounts Sum(std::span<const ActivePod> pods) {
    return sums_.Of(Signal::kMemoryAvailable, {}, pods, none_ending_);
  }

  HeldSums sums_;
  EndingPods none_ending_;
  std::deque<PodFacts> facts_;
  std::deque<PodStats> stats_;
};

TEST_F(HeldSumsTest, APodWhoseFactsAreComputedAgainIsNoOther) {
  const PodFacts& a = Facts("a");
  const PodFacts& b = Facts("b");
  Sum(std::array{With(a, 10), With(b, 200)});
  const HeldAmounts held = Sum(std::array{With(Facts("a"), 10), With(b, 200)});
  ASSERT_TRUE(held.change);
  EXPECT_FALSE(held.change->any);
  EXPECT_EQ(held.pods, 210 << 20);
  EXPECT_EQ(sums_.AmountOf(a), 10 << 20);
}

TEST_F(HeldSumsTest, APodAtTheAddressOfAnotherIsNotThatOne) {
  PodFacts facts = Facts("a");
  Sum(std::array{With(facts, 10)});
  facts = Facts("b");
  EXPECT_FALSE(Sum(std::array{With(facts, 200)}).change) << "another pod has come";
}

}  // namespace
}  // namespace jettison
