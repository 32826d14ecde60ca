// Between a crossed threshold and the signal nothing is allocated: counted by replacing operator
// new. Figures and runtime are in memory; reading_allocation_test reads real groups.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "agent/passes/node_test_bed.h"
#include "tests/counted_allocations.h"

namespace jettison {
namespace {

using testing::HasSubstr;

// Every name is too long to be stored without an allocation.
const std::string kHog = "the-pod-that-takes-everything-there-is";
const std::string kOther = "another-pod-that-takes-hardly-anything";
const std::string kContainer = "the-only-container-of-the-pod";

Pod WithLongNames(const std::string& name) {
  Pod pod = PodNamed(name);
  pod.containers[0].name = kContainer;
  return pod;
}

class SignalAllocation : public NodeTestBed {
 protected:
  void SetUp() override {
    thresholds_.push_back({.signal = Signal::kPidAvailable,
                           .value = Quantity::Of(100),
                           .grace_period = Duration::zero(),
                           .min_reclaim = std::nullopt});
    figures_.node.rlimit = RlimitStats{.time = std::nullopt, .max_pid = 1000, .running = 100};
    figures_.memory = {{kHog, 300 * kMi}, {kOther, kMi}};
    figures_.tasks = {{kHog, 800}, {kOther, 1}};
    Start();
    pods_.SetWanted(WantedPods({WithLongNames(kHog), WithLongNames(kOther)}), clock_.Now());
    for (int i = 0; i < 3; ++i) FullPass();
    Pass(std::chrono::seconds(3));
    runtime_.TakeCommands();
    runtime_.OnStop([this] {
      if (!at_signal_) at_signal_ = allocations - before_;
    });
  }
  // What is allocated from the wake-up to the moment in which the runtime is told.
  [[nodiscard]] std::optional<std::size_t> AllocationsUntilTheSignal() {
    before_ = allocations;
    Crossed();
    return at_signal_;
  }
  void ExpectEvictedForItsMessage(const std::string& part) {
    EXPECT_THAT(runtime_.TakeCommands(),
                testing::Contains("stop " + kHog + "/" + kContainer + " 1s"));
    ASSERT_EQ(evictions_.size(), 1U);
    EXPECT_THAT(evictions_.front()->report.evictions.front().order.message, HasSubstr(part));
  }

 private:
  std::size_t before_ = 0;
  std::optional<std::size_t> at_signal_;
};

TEST_F(SignalAllocation, AnEvictionForMemoryAllocatesNothingBeforeTheSignal) {
  figures_.SetAvailable(99);
  EXPECT_EQ(AllocationsUntilTheSignal(), 0U);
  ExpectEvictedForItsMessage("Threshold quantity: 100Mi, available: 99Mi. ");
}

TEST_F(SignalAllocation, AnEvictionForProcessIdsAllocatesNothingBeforeTheSignal) {
  figures_.node.rlimit->running = 950;
  EXPECT_EQ(AllocationsUntilTheSignal(), 0U);
  ExpectEvictedForItsMessage("Threshold quantity: 100, available: 50. ");
}

TEST_F(SignalAllocation, AnEvictionForProcessIdsWhileADiskIsShortAllocatesNothingBeforeTheSignal) {
  figures_.node.rlimit->running = 950;
  figures_.node.fs->available_bytes = 49 * kMi;
  EXPECT_EQ(AllocationsUntilTheSignal(), 0U);
  ExpectEvictedForItsMessage("Threshold quantity: 100, available: 50. ");
}

}  // namespace
}  // namespace jettison
