#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/model/pod_resources.h"

namespace jettison {
namespace {

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

}  // namespace
}  // namespace jettison
