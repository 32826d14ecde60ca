#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/doctor/doctor_checks.h"

namespace jettison {
namespace {

using testing::EndsWith;

TEST(DoctorKernel, SaysWhichCallsAreMissingForPodsOfTheAgentsOwn) {
  const kernel::MountCalls before_5_12 = {.opens_within_mount = true, .tells_mount_points = true};
  const HostCheck process = KernelCheck(RuntimeKind::kProcess, before_5_12);
  EXPECT_EQ(process.status, HostStatus::kMissing);
  EXPECT_THAT(process.found, EndsWith("without mount_setattr(2)"));
  EXPECT_EQ(process.remedy, "use Linux 5.12 or later");
  EXPECT_EQ(process.need, HostNeed::kStartingPods);
  EXPECT_EQ(KernelCheck(RuntimeKind::kCri, before_5_12).status, HostStatus::kOk);
}

}  // namespace
}  // namespace jettison
