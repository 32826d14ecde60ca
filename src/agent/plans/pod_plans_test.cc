#include "agent/plans/pod_plans.h"

#include <gtest/gtest.h>

namespace jettison {
namespace {

Quantity Q(std::string_view text) {
  return *Quantity::Parse(text);
}

TEST(PlanOf, APodsPlanHasItsClassAndTheLimitsOfItsGroups) {
  Pod pod;
  pod.init_containers.resize(1);
  pod.init_containers[0].name = "init";
  pod.init_containers[0].resources.requests = {{"cpu", Q("500m")}};
  pod.containers.resize(1);
  pod.containers[0].name = "main";
  pod.containers[0].resources.requests = {{"cpu", Q("250m")}};
  pod.containers[0].resources.limits = {{"memory", Q("64Mi")}};
  const PodPlan plan = PlanOf(std::make_shared<const Pod>(pod), {.pod_pids_limit = 100});
  EXPECT_EQ(plan.qos, QosClass::kBurstable);
  EXPECT_EQ(plan.milli_cpu, 500) << "the effective limit: the largest of the init containers";
  EXPECT_EQ(plan.limits.cpu_shares, 512U);
  EXPECT_EQ(plan.limits.memory_bytes, std::nullopt) << "one of its containers has no limit";
  EXPECT_EQ(plan.limits.pids_max, 100);
  EXPECT_EQ(LimitsOf(plan, "init").cpu_shares, 512U);
  EXPECT_EQ(LimitsOf(plan, "main").memory_bytes, 64U << 20);
  EXPECT_EQ(LimitsOf(plan, "main").pids_max, std::nullopt);
}

TEST(LimitSettingsOf, CpuQuotasAreOfTheConfiguredPeriodOrNotEnforced) {
  AgentConfig config;
  config.cpu_quota = {.enforced = true, .period = std::chrono::milliseconds(20)};
  ASSERT_TRUE(LimitSettingsOf(config).cpu_quota);
  EXPECT_EQ(LimitSettingsOf(config).cpu_quota->period_us, 20'000U);
  config.cpu_quota.enforced = false;
  EXPECT_FALSE(LimitSettingsOf(config).cpu_quota);
}

}  // namespace
}  // namespace jettison
