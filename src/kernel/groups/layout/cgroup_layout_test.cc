#include "kernel/groups/layout/cgroup_layout.h"

#include <gmock/gmock.h>

#include "kernel/groups/layout/qos_groups.h"
#include "kernel/groups/layout/testing/plain_plan.h"
#include "ports/fakes/fake_cgroups.h"

namespace jettison::kernel {
namespace {

using namespace testing;

Quantity Q(std::string_view text) {
  return *Quantity::Parse(text);
}

CgroupLimits LimitsOf(const Pod& pod, std::optional<std::int64_t> pids_limit) {
  return PlainPlan(pod, {.pod_pids_limit = pids_limit}).limits;
}

Container WithResources(ResourceList requests, ResourceList limits) {
  Container container;
  container.resources = {.requests = std::move(requests), .limits = std::move(limits)};
  return container;
}

TEST(PodGroup, NoTwoUidsShareASlice) {
  const auto slice = [](const char* uid) {
    return UnitName(PodGroup(QosClass::kBurstable, uid, CgroupDriver::kSystemd));
  };
  EXPECT_EQ(slice("a-b"), "kubepods-burstable-poda_b.slice") << "as in the kubelet";
  EXPECT_EQ(slice("a_b"), "kubepods-burstable-poda\\x5fb.slice");
  EXPECT_NE(slice("a\\x5fb"), slice("a_b"));
}

TEST(CpuShares, AreOfACpuOf1024WithinTheKernelsBounds) {
  const std::pair<std::int64_t, std::uint64_t> cases[] = {
      {-1, 2},
      {2, 2},
      {3, 3},
      {100, 102},
      {1000, 1024},
      {256'000, 262'144},
      {std::numeric_limits<std::int64_t>::max(), 262'144}};
  for (const auto& [milli, shares] : cases) EXPECT_EQ(CpuShares(milli), shares) << milli;
}

TEST(CgroupLayout, WithTheDriverSystemdEachGroupIsASliceNamedByThoseAboveIt) {
  constexpr CgroupDriver kSystemd = CgroupDriver::kSystemd;
  EXPECT_EQ(PodsGroup(kSystemd), "kubepods.slice");
  EXPECT_EQ(QosGroup(QosClass::kGuaranteed, kSystemd), "kubepods.slice");
  EXPECT_EQ(QosGroup(QosClass::kBestEffort, kSystemd), "kubepods.slice/kubepods-besteffort.slice");
  EXPECT_EQ(PodGroup(QosClass::kGuaranteed, "1-2", kSystemd),
            "kubepods.slice/kubepods-pod1_2.slice");
  const std::string pod = PodGroup(QosClass::kBurstable, "d-e-f", kSystemd);
  EXPECT_EQ(pod, "kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podd_e_f.slice");
  EXPECT_EQ(ContainerGroupName("main", kSystemd), "main.scope");
  EXPECT_EQ(CgroupParent("", pod, kSystemd), "kubepods-burstable-podd_e_f.slice");
}

TEST(CgroupLayout, BelowARootEachSliceBeginsWithIt) {
  const GroupNames kind(CgroupDriver::kSystemd, "a-b-");
  EXPECT_EQ(PodsGroup(kind), "a-b-kubepods.slice");
  EXPECT_EQ(PodGroup(QosClass::kGuaranteed, "1-2", kind),
            "a-b-kubepods.slice/a-b-kubepods-pod1_2.slice");
  EXPECT_EQ(PodGroup(QosClass::kBurstable, "u", kind),
            "a-b-kubepods.slice/a-b-kubepods-burstable.slice/a-b-kubepods-burstable-podu.slice");
}

TEST(ContainerLimits, ALimitStandsInForARequestThatIsMissing) {
  const CgroupLimits limits =
      ContainerLimits(WithResources({}, {{"cpu", Q("2")}}), LimitSettings{});
  EXPECT_EQ(limits.cpu_shares, 2048U);
  EXPECT_EQ(limits.cpu_quota_us, 200'000);
  EXPECT_EQ(ContainerLimits(Container{}, {}).cpu_shares, 2U);
}

TEST(ContainerLimits, CpuQuotasFollowTheConfiguredPeriodOrAreLeftAlone) {
  LimitSettings settings;
  settings.cpu_quota->period_us = 10'000;
  const Container container = WithResources({}, {{"cpu", Q("2")}});
  EXPECT_EQ(ContainerLimits(container, settings).cpu_quota_us, 20'000);
  EXPECT_EQ(ContainerLimits(container, settings).cpu_period_us, 10'000U);
  settings.cpu_quota.reset();
  EXPECT_EQ(ContainerLimits(container, settings).cpu_quota_us, std::nullopt);
  EXPECT_EQ(ContainerLimits(container, settings).cpu_shares, 2048U);
}

TEST(PodLimits, MemoryIsLimitedOnlyWhereEveryContainerIs) {
  Pod pod;
  pod.containers = {WithResources({}, {{"memory", Q("10Mi")}}),
                    WithResources({}, {{"memory", Q("20Mi")}, {"cpu", Q("1")}})};
  const CgroupLimits both = LimitsOf(pod, 100);
  EXPECT_EQ(both.memory_bytes, 30U << 20);
  EXPECT_EQ(both.cpu_quota_us, std::nullopt);
  EXPECT_EQ(both.pids_max, 100);

  pod.containers.push_back(WithResources({{"cpu", Q("100m")}}, {}));
  const CgroupLimits free = LimitsOf(pod, std::nullopt);
  EXPECT_EQ(free.memory_bytes, std::nullopt);
  EXPECT_EQ(free.cpu_shares, 102U);
  EXPECT_EQ(free.pids_max, std::nullopt);
}

TEST(PodLimits, ALimitOfThePodItselfHoldsWhateverItsContainersSay) {
  Pod pod;
  pod.containers = {Container{}};
  pod.resources = ResourceRequirements{.requests = {}, .limits = {{"memory", Q("50Mi")}}};
  const CgroupLimits limits = PodLimits(pod, {.memory_limit = Q("50Mi")}, {});
  EXPECT_EQ(limits.memory_bytes, 50U << 20);
  EXPECT_EQ(limits.cpu_quota_us, std::nullopt);
}

class QosGroupsTest : public testing::Test {
 protected:
  static PodPlan Plan(const std::string& uid, QosClass qos, std::int64_t milli_cpu) {
    Pod pod;
    pod.uid = uid;
    return {.pod = std::make_shared<const Pod>(pod), .qos = qos, .milli_cpu = milli_cpu};
  }
  void Add(const std::vector<PodPlan>& plans) {
    std::vector<const PodPlan*> pods;
    for (const PodPlan& plan : plans) pods.push_back(&plan);
    groups_.Add(pods);
  }
  [[nodiscard]] std::uint64_t Shares(const char* group) {
    return cgroups_.LimitsOf(group).cpu_shares.value_or(0);
  }

  FakeCgroups cgroups_;
  std::vector<std::string> failures_;
  QosGroups groups_{cgroups_, CgroupDriver::kCgroupfs,
                    [this](const Error& error) { failures_.push_back(error.message); }};
};

TEST_F(QosGroupsTest, BurstablePodsShareWhatTheyAskForTogetherAndBestEffortPodsGetTheRest) {
  Add({});
  EXPECT_THAT(groups_.limits(), IsEmpty());
  Add({Plan("one", QosClass::kBurstable, 250), Plan("g", QosClass::kGuaranteed, 4000)});
  Add({Plan("other", QosClass::kBurstable, 750)});
  EXPECT_EQ(Shares("kubepods/burstable"), 1024U);
  EXPECT_EQ(Shares("kubepods/besteffort"), 2U);
  ASSERT_EQ(groups_.limits().size(), 2U);
  EXPECT_EQ(groups_.limits()[0].group, "kubepods/burstable");
  EXPECT_EQ(groups_.limits()[0].limits.cpu_shares, 1024U);
}

TEST_F(QosGroupsTest, APodThatGoesCountsUntilItIsGoneOrAnotherComes) {
  Add({Plan("one", QosClass::kBurstable, 500), Plan("other", QosClass::kBurstable, 500)});
  groups_.Leave("one");
  EXPECT_EQ(Shares("kubepods/burstable"), 1024U);
  Add({Plan("new", QosClass::kBurstable, 500)});
  EXPECT_EQ(Shares("kubepods/burstable"), 1024U);
  groups_.Remove("one");
  groups_.Remove("other");
  EXPECT_EQ(Shares("kubepods/burstable"), 512U);
}

TEST_F(QosGroupsTest, TheFirstFailureIsToldAndTheOtherGroupIsSet) {
  cgroups_.FailOn(FakeCgroups::Operation::kCreate, "kubepods/burstable",
                  {ErrorCode::kUnavailable, "no space"});
  Add({Plan("u", QosClass::kBurstable, 500)});
  EXPECT_THAT(failures_, ElementsAre(HasSubstr("no space")));
  EXPECT_EQ(Shares("kubepods/besteffort"), 2U);
}

}  // namespace
}  // namespace jettison::kernel
