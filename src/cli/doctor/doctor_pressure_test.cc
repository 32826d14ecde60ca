#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/doctor/doctor_checks.h"

namespace jettison {
namespace {

using testing::Each;
using testing::Field;
using testing::Ne;
using testing::SizeIs;

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
