#include "core/pods/oom_score_adj.h"

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

TEST(OomScoreAdj, ExceedsAThousandWhereContainersAskForMoreThanTheirPod) {
  Pod pod;
  pod.containers = {AskingMebibytes("a", 500), AskingMebibytes("b", 10)};
  pod.resources = ResourceRequirements{.requests = Mebibytes(310), .limits = {}};
  EXPECT_EQ(OomScoreAdj(pod, pod.containers[1], kCapacity), 1090);
}

TEST(OomScoreAdj, WrapsAroundBeyond64BitsAsTheKubeletDoes) {
  Pod pod = PodAsking(1);
  pod.containers[0].resources.requests["memory"] = Quantity::Parse("10000000000Mi").value();
  EXPECT_EQ(OomScoreAdj(pod, pod.containers[0], kCapacity * 1'000'000'000), 1007);
}

TEST(OomScoreAdj, OfABurstableContainerIs999OnANodeOfUnknownSize) {
  const Pod pod = PodAsking(100);
  EXPECT_EQ(OomScoreAdj(pod, pod.containers[0], 0), 999);
}

}  // namespace
}  // namespace jettison
