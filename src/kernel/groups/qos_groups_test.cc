#include "kernel/groups/qos_groups.h"

#include <gtest/gtest.h>

#include "ports/fakes/fake_cgroups.h"

namespace jettison::pod_host {
namespace {

TEST(QosGroups, BurstablePodsShareWhatTheyAskForTogetherAndBestEffortPodsGetTheRest) {
  FakeCgroups cgroups;
  QosGroups groups(cgroups, CgroupDriver::kCgroupfs);
  EXPECT_TRUE(groups.limits().empty());
  const PodPlan one{.qos = QosClass::kBurstable, .milli_cpu = 250};
  const PodPlan other{.qos = QosClass::kBurstable, .milli_cpu = 750};
  const PodPlan guaranteed{.qos = QosClass::kGuaranteed, .milli_cpu = 4000};
  ASSERT_TRUE(groups.SetPods({&one, &guaranteed, &other}));
  EXPECT_EQ(cgroups.LimitsOf("kubepods/burstable").cpu_shares, 1024U);
  EXPECT_EQ(cgroups.LimitsOf("kubepods/besteffort").cpu_shares, 2U);
  ASSERT_TRUE(groups.SetPods({}));
  EXPECT_EQ(cgroups.LimitsOf("kubepods/burstable").cpu_shares, 2U);
  ASSERT_EQ(groups.limits().size(), 2U);
  EXPECT_EQ(groups.limits()[0].group, "kubepods/burstable");
  EXPECT_EQ(groups.limits()[0].limits.cpu_shares, 2U);
}

}  // namespace
}  // namespace jettison::pod_host
