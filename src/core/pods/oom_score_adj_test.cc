#include "core/pods/pod_kind.h"

#include <gtest/gtest.h>

#include <string>

namespace jettison {
namespace {

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
