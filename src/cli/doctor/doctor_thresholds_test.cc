#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/doctor/doctor_checks.h"
#include "core/thresholds/threshold_parsing.h"

namespace jettison {
namespace {

using testing::HasSubstr;

TEST(DoctorThresholds, ThoseThatTheNodeCannotReachAreMissing) {
  AgentConfig config;
  config.eviction.thresholds =
      ParseThresholds({.hard = {{"memory.available", "900Ti"}, {"nodefs.inodesFree", "5000"}}})
          .thresholds;
  SignalCapacities capacities;
  EXPECT_FALSE(ThresholdsThatDoNotFit(config, capacities)) << "nothing is known";
  capacities[IndexOf(Signal::kMemoryAvailable)] = std::int64_t{1} << 30;
  capacities[IndexOf(Signal::kNodeFsInodesFree)] = 1000;
  const auto check = ThresholdsThatDoNotFit(config, capacities);
  ASSERT_TRUE(check);
  EXPECT_EQ(check->status, HostStatus::kMissing);
  EXPECT_THAT(check->found, HasSubstr("evictionHard[memory.available]: \"900Ti\""));
  EXPECT_THAT(check->found, HasSubstr("evictionHard[nodefs.inodesFree]: \"5k\""));
  capacities[IndexOf(Signal::kMemoryAvailable)] = std::int64_t{1} << 60;
  capacities[IndexOf(Signal::kNodeFsInodesFree)] = 100'000;
  EXPECT_FALSE(ThresholdsThatDoNotFit(config, capacities));
}

}  // namespace
}  // namespace jettison
