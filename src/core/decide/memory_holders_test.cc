#include "core/decide/memory_holders.h"

#include <gtest/gtest.h>

#include <vector>

namespace jettison {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

NodeStats NodeWith(std::uint64_t all_mi, std::uint64_t pods_group_mi) {
  NodeStats node;
  node.memory = MemoryStats{
      .working_set_bytes = all_mi * kMiB, .shared_bytes = 30 * kMiB, .kernel_bytes = 5 * kMiB};
  node.pods_memory = MemoryStats{.working_set_bytes = pods_group_mi * kMiB};
  return node;
}

class MemoryHoldersTest : public testing::Test {
 protected:
  MemoryHoldersTest() {
    facts_[1].protection = Protection::kCritical;
    facts_[1].pod.priority = 2'000'000'000;
    facts_[2].protection = Protection::kObserved;
    for (std::size_t i = 0; i < facts_.size(); ++i) {
      stats_[i].memory_working_set_bytes = (i + 1) * 10 * kMiB;
      pods_.push_back({&facts_[i], &stats_[i]});
    }
  }
  std::array<PodFacts, 3> facts_;
  std::array<PodStats, 3> stats_;
  std::vector<ActivePod> pods_;
};

TEST_F(MemoryHoldersTest, EveryByteHasOneHolder) {
  const auto holders = HoldersOf(NodeWith(500, 120), pods_, 20 * kMiB);
  ASSERT_TRUE(holders);
  EXPECT_EQ(holders->pods, 10 * kMiB);
  EXPECT_EQ(holders->critical, 20 * kMiB);
  EXPECT_EQ(holders->foreign, 30 * kMiB);
  EXPECT_EQ(holders->ending, 20 * kMiB);
  EXPECT_EQ(holders->gone, 40 * kMiB);
  EXPECT_EQ(holders->outside, 380 * kMiB);
  EXPECT_EQ(holders->all, holders->pods + holders->critical + holders->foreign + holders->ending +
                              holders->gone + holders->outside);
  EXPECT_TRUE(AreOthers(*holders));
  EXPECT_EQ(
      TextOf(*holders),
      "processes outside the pods 380Mi, files, pages and processes of no pod 40Mi, foreign pods "
      "that are only observed 30Mi, pods that are never evicted 20Mi, pods that are ending 20Mi, "
      "pods that may be evicted 10Mi; of all this tmpfs and shared memory 30Mi, the kernel 5Mi");
}

TEST_F(MemoryHoldersTest, FiguresOfDifferentMomentsNeverMakeAHolderNegative) {
  const auto holders = HoldersOf(NodeWith(50, 10), pods_, 20 * kMiB);
  ASSERT_TRUE(holders);
  EXPECT_EQ(holders->gone, 0);
  EXPECT_EQ(holders->outside, 0);
}

TEST_F(MemoryHoldersTest, OfMemoryThatIsNextToNothingTheLargestHolderIsNamed) {
  EXPECT_EQ(TextOf({.all = 256 << 10, .pods = 64 << 10, .outside = 192 << 10}),
            "processes outside the pods 192Ki");
  EXPECT_EQ(TextOf({.all = 2 * kMiB + 5, .pods = 5, .outside = 2 * kMiB}),
            "processes outside the pods 2Mi");
}

TEST_F(MemoryHoldersTest, PodsThatMayGoAndThoseThatEndAreNoOthers) {
  EXPECT_FALSE(AreOthers({.all = 100, .pods = 40, .ending = 20, .outside = 40}));
  EXPECT_TRUE(AreOthers({.all = 100, .pods = 40, .outside = 60}));
}

TEST_F(MemoryHoldersTest, ANodeThatWasNotMeasuredHasNone) {
  EXPECT_FALSE(HoldersOf({}, pods_, 0));
}

}  // namespace
}  // namespace jettison
