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

Container Sidecar(const std::string& request, const std::string& limit = kNone) {
  Container container = Asking(request, limit);
  container.restart_policy = RestartPolicy::kAlways;
  return container;
}

struct RequestRow {
  const char* rule;
  std::vector<Container> init_containers;
  std::vector<Container> containers;
  std::string overhead;
  const char* request;
};

TEST(EffectiveRequest, AddsUpWhatRunsTogether) {
  const std::vector<RequestRow> rows = {
      {"containers add up", {}, {Asking("64Mi"), Asking("64Mi")}, "", "128Mi"},
      {"nobody asks", {}, {Asking(kNone)}, "", "0"},
      {"an init container is a minimum", {Asking("1Gi")}, {Asking("64Mi")}, "", "1Gi"},
      {"and no more than that", {Asking("32Mi")}, {Asking("64Mi")}, "", "64Mi"},
      {"init containers run one by one", {Asking("1Gi"), Asking("1Gi")}, {Asking("1")}, "", "1Gi"},
      {"a sidecar stays", {Sidecar("100Mi")}, {Asking("64Mi")}, "", "164Mi"},
      {"beside later init containers", {Sidecar("100Mi"), Asking("1Gi")}, {}, "", "1124Mi"},
      {"not beside earlier ones", {Asking("1Gi"), Sidecar("100Mi")}, {}, "", "1Gi"},
      {"overhead is added", {}, {Asking("64Mi")}, "16Mi", "80Mi"},
      {"but not to nothing", {}, {Asking("0")}, "16Mi", "0"},
      {"the first form is kept", {}, {Asking("128Mi"), Asking("100M")}, "", "234217728"},
      {"a zero has no form", {}, {Asking("0"), Asking("128Mi")}, "", "128Mi"},
  };
  for (const RequestRow& row : rows) {
    Pod pod;
    pod.init_containers = row.init_containers;
    pod.containers = row.containers;
    pod.overhead = Memory(row.overhead);
    EXPECT_EQ(EffectiveRequest(pod, "memory").ToString(), row.request) << row.rule;
  }
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
