#include "core/pods/pod_kind.h"

#include <gtest/gtest.h>

#include <string>

#include "core/model/pod.h"

namespace jettison {
namespace {

Pod Annotated(const std::string& key, const std::string& value) {
  Pod pod;
  pod.annotations[key] = value;
  return pod;
}

Pod OfPriority(std::int32_t priority) {
  Pod pod;
  pod.priority = priority;
  return pod;
}

TEST(PodKind, IsCriticalFromTwoBillionOn) {
  EXPECT_FALSE(IsCriticalByPriority(Pod{}));
  EXPECT_FALSE(IsCriticalByPriority(OfPriority(1'999'999'999)));
  EXPECT_TRUE(IsCriticalByPriority(OfPriority(2'000'000'000)));
}

TEST(PodKind, StaticAndMirrorPodsAreCriticalForTheKubeletOnly) {
  for (const Pod& pod : {Annotated("kubernetes.io/config.source", "file"),
                         Annotated("kubernetes.io/config.mirror", "hash")}) {
    EXPECT_TRUE(IsCritical(pod, Profile::kKubelet));
    EXPECT_FALSE(IsCritical(pod, Profile::kStandalone));
  }
  for (Profile profile : {Profile::kKubelet, Profile::kStandalone}) {
    EXPECT_TRUE(IsCritical(OfPriority(2'000'001'000), profile));
    EXPECT_FALSE(IsCritical(Pod{}, profile));
  }
}

constexpr const char* kNone = "";  // the container does not name the resource

ResourceList Memory(const std::string& amount) {
  if (amount.empty()) return {};
  return {{"memory", Quantity::Parse(amount).value()}};
}

Container Asking(const std::string& request, const std::string& limit = kNone) {
  Container container;
  container.resources = {.requests = Memory(request), .limits = Memory(limit)};
  return container;
}

TEST(EffectiveRequest, IsThatOfThePodAloneWhereThePodHasResources) {
  Pod pod;
  pod.containers = {Asking("3Gi")};
  pod.containers[0].resources.requests["ephemeral-storage"] = Quantity::Of(1000);
  pod.resources.emplace();
  EXPECT_EQ(EffectiveRequest(pod, "memory").ToString(), "3Gi") << "empty resources do not count";
  pod.resources->limits = Memory("4Gi");
  EXPECT_EQ(EffectiveRequest(pod, "memory").ToString(), "0") << "a limit is not a request";
  pod.resources->requests = Memory("2Gi");
  EXPECT_EQ(EffectiveRequest(pod, "memory").ToString(), "2Gi");
  EXPECT_EQ(EffectiveRequest(pod, "ephemeral-storage").ToString(), "0");
  pod.overhead = Memory("1Gi");
  EXPECT_EQ(EffectiveRequest(pod, "memory").ToString(), "3Gi");
}

TEST(EffectiveLimit, IsAbsentWhenNothingLimits) {
  Pod pod;
  pod.containers = {Asking("1Gi")};
  pod.overhead = Memory("1Gi");
  EXPECT_EQ(EffectiveLimit(pod, "memory"), std::nullopt);
}

TEST(EffectiveLimit, KeepsTheTextThatMessagesShow) {
  Pod pod;
  pod.containers = {Asking(kNone, "100Mi"), Asking(kNone, kNone), Asking(kNone, "64Ki")};
  EXPECT_EQ(EffectiveLimit(pod, "memory")->ToString(), "102464Ki");
  pod.init_containers = {Asking(kNone, "1500M")};
  EXPECT_EQ(EffectiveLimit(pod, "memory")->ToString(), "1500M");
}

TEST(EffectiveLimit, IsReplacedPerResourceAtPodLevel) {
  Pod pod;
  pod.containers = {Asking(kNone, "1Gi")};
  pod.containers[0].resources.limits["ephemeral-storage"] = Quantity::Parse("2Gi").value();
  pod.resources = ResourceRequirements{.requests = {}, .limits = Memory("3Gi")};
  pod.resources->limits["ephemeral-storage"] = Quantity::Parse("9Gi").value();
  EXPECT_EQ(EffectiveLimit(pod, "memory")->ToString(), "3Gi");
  EXPECT_EQ(EffectiveLimit(pod, "ephemeral-storage")->ToString(), "2Gi")
      << "it is not allowed at pod level";
}

TEST(EffectiveLimit, TakesOverheadUnlessZero) {
  Pod pod;
  pod.containers = {Asking(kNone, "1Gi")};
  pod.overhead = Memory("1Gi");
  EXPECT_EQ(EffectiveLimit(pod, "memory")->ToString(), "2Gi");
  pod.containers = {Asking(kNone, "0")};
  EXPECT_EQ(EffectiveLimit(pod, "memory")->ToString(), "0");
}

constexpr std::uint64_t kCapacity = 1000U << 20U;  // so that 1 Mi is a point

ResourceList Mebibytes(int count) {
  return {{"memory", Quantity::Parse(std::to_string(count) + "Mi").value()}};
}

Container AskingMebibytes(const std::string& name, int mebibytes) {
  Container container;
  container.name = name;
  container.resources.requests = Mebibytes(mebibytes);
  return container;
}

// Burstable: a request and no limit.
Pod PodAsking(int mebibytes) {
  Pod pod;
  pod.containers = {AskingMebibytes("c", mebibytes)};
  return pod;
}

int ScoreOfFirst(const Pod& pod) {
  return OomScoreAdj(pod, pod.containers[0], kCapacity);
}

TEST(OomScoreAdj, FollowsTheClassOfTheStatus) {
  Pod pod = PodAsking(100);
  pod.status_qos_class = QosClass::kGuaranteed;
  EXPECT_EQ(ScoreOfFirst(pod), -997);
  pod.status_qos_class = QosClass::kBestEffort;
  EXPECT_EQ(ScoreOfFirst(pod), 1000);
}

TEST(OomScoreAdj, ProtectsNodeCriticalPodsWhateverTheirClass) {
  Pod pod;
  pod.containers = {Container{}};
  EXPECT_EQ(ScoreOfFirst(pod), 1000);
  pod.priority = 2'000'001'000;
  EXPECT_EQ(ScoreOfFirst(pod), 1000) << "priority alone changes nothing";
  pod.priority_class_name = "system-node-critical";
  EXPECT_EQ(ScoreOfFirst(pod), -997);
}

TEST(OomScoreAdj, OfASidecarIsNoHigherThanAnyRegularContainers) {
  Pod pod;
  pod.containers = {AskingMebibytes("a", 200), AskingMebibytes("b", 300)};
  pod.init_containers = {AskingMebibytes("small", 50), AskingMebibytes("large", 400)};
  for (Container& container : pod.init_containers) {
    container.restart_policy = RestartPolicy::kAlways;
  }
  EXPECT_EQ(OomScoreAdj(pod, pod.init_containers[0], kCapacity), 800);
  EXPECT_EQ(OomScoreAdj(pod, pod.init_containers[1], kCapacity), 600);
  pod.init_containers[0].restart_policy.reset();
  EXPECT_EQ(OomScoreAdj(pod, pod.init_containers[0], kCapacity), 950) << "a plain init container";
}

}  // namespace
}  // namespace jettison
