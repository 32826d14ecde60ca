#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/doctor/doctor_checks.h"

namespace jettison {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kNodeMemory = 1 << 30;

AgentConfig With(Signal signal, const char* value, Duration grace_period = Duration::zero()) {
  AgentConfig config;
  config.eviction.thresholds = {{.signal = signal,
                                 .value = *Quantity::Parse(value),
                                 .grace_period = grace_period,
                                 .min_reclaim = std::nullopt}};
  return config;
}

TEST(MemoryThreshold, ThatTheNodeCannotReachIsAlwaysMet) {
  const auto hard = ThresholdBeyondMemory(With(Signal::kMemoryAvailable, "900Ti"), kNodeMemory);
  ASSERT_TRUE(hard);
  EXPECT_EQ(hard->status, HostStatus::kMissing);
  EXPECT_EQ(hard->found, "evictionHard memory.available 900Ti, on a node of 1024 MiB");
  EXPECT_THAT(hard->remedy, HasSubstr("set evictionHard's memory.available below 1024 MiB"));
  const auto soft = ThresholdBeyondMemory(
      With(Signal::kMemoryAvailable, "1Gi", std::chrono::seconds(30)), kNodeMemory);
  ASSERT_TRUE(soft);
  EXPECT_THAT(soft->found, HasSubstr("evictionSoft memory.available 1Gi"));
}

TEST(MemoryThreshold, BelowTheMemoryOfTheNodeIsAsItShouldBe) {
  EXPECT_FALSE(ThresholdBeyondMemory(With(Signal::kMemoryAvailable, "1023Mi"), kNodeMemory));
  EXPECT_FALSE(ThresholdBeyondMemory(With(Signal::kNodeFsAvailable, "2Gi"), kNodeMemory));
  EXPECT_FALSE(ThresholdBeyondMemory({}, kNodeMemory));
}

}  // namespace
}  // namespace jettison
