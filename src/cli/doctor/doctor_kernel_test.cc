#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/doctor/doctor.h"

namespace jettison {
namespace {

using testing::Each;
using testing::EndsWith;
using testing::Field;
using testing::Ne;
using testing::SizeIs;

TEST(DoctorKernel, SaysWhichCallsAreMissingForPodsOfTheAgentsOwn) {
  AgentConfig config;
  EXPECT_EQ(KernelCheck(config, false).status, HostStatus::kDegraded) << "it starts none";
  config.static_pod_path = "/m";
  const HostCheck before_5_12 = KernelCheck(config, false);
  EXPECT_EQ(before_5_12.status, HostStatus::kMissing);
  EXPECT_THAT(before_5_12.found, EndsWith("without mount_setattr(2)"));
  EXPECT_EQ(before_5_12.remedy, "use Linux 5.12 or later");
  EXPECT_EQ(KernelCheck(config, true).status, HostStatus::kOk);
}

TEST(LiveDoctorPressure, AKernelWithPsiHasFiguresOfGroupsAndTriggers) {
  const auto checks = PressureChecks();
  EXPECT_THAT(checks, Each(Field(&HostCheck::status, Ne(HostStatus::kMissing))))
      << "the agent works without";
  if (::access("/proc/pressure/memory", R_OK) == 0) {
    EXPECT_THAT(checks, SizeIs(3));
    EXPECT_EQ(checks[0].status, HostStatus::kOk);
  } else {
    EXPECT_THAT(checks, SizeIs(1));
    EXPECT_EQ(checks[0].status, HostStatus::kDegraded);
  }
  for (const HostCheck& check : checks) {
    EXPECT_EQ(check.status == HostStatus::kOk, check.cost.empty()) << check.check;
    EXPECT_EQ(check.status == HostStatus::kOk, check.remedy.empty()) << check.check;
  }
}

}  // namespace
}  // namespace jettison
