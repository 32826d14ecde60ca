#include "core/pods/pod_kind.h"

#include <gtest/gtest.h>

#include <string>

#include "core/model/pod.h"

// What the kubelet says of requests, classes and scores is in the vectors (pod_conformance_test).
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

TEST(PodKind, IsCriticalByItsPriorityAndForTheKubeletAlsoIfStaticOrMirrored) {
  struct Row {
    Pod pod;
    bool by_kubelet;
    bool by_standalone;
  };
  for (const Row& row : {Row{{}, false, false}, Row{OfPriority(1'999'999'999), false, false},
                         Row{OfPriority(2'000'000'000), true, true},
                         Row{Annotated("kubernetes.io/config.source", "file"), true, false},
                         Row{Annotated("kubernetes.io/config.mirror", "hash"), true, false}}) {
    EXPECT_EQ(IsCritical(row.pod, Profile::kKubelet), row.by_kubelet);
    EXPECT_EQ(IsCritical(row.pod, Profile::kStandalone), row.by_standalone);
  }
}

ResourceList Memory(const std::string& amount) {
  if (amount.empty()) return {};
  return {{"memory", Quantity::Parse(amount).value()}};
}

Container Limited(const std::string& limit) {
  Container container;
  container.resources.limits = Memory(limit);
  return container;
}

TEST(EffectiveLimit, IsTheSumWithItsTextAndTheOverheadOrThatOfThePod) {
  struct Row {
    const char* rule;
    Pod pod;
    std::string limit;  // "": none
  };
  const Row rows[] = {
      {"nothing limits", {.containers = {Limited("")}, .overhead = Memory("1Gi")}, ""},
      {"the form of the first one is kept",
       {.containers = {Limited("100Mi"), Limited(""), Limited("64Ki")}},
       "102464Ki"},
      {"an init container that needs more",
       {.init_containers = {Limited("1500M")}, .containers = {Limited("100Mi")}},
       "1500M"},
      {"overhead", {.containers = {Limited("1Gi")}, .overhead = Memory("1Gi")}, "2Gi"},
      {"but not of zero", {.containers = {Limited("0")}, .overhead = Memory("1Gi")}, "0"},
      {"the pod's own",
       {.containers = {Limited("1Gi")}, .resources = ResourceRequirements{{}, Memory("3Gi")}},
       "3Gi"},
  };
  for (const Row& row : rows) {
    const auto limit = EffectiveLimit(row.pod, "memory");
    EXPECT_EQ(limit ? limit->ToString() : "", row.limit) << row.rule;
  }
  Pod pod{.resources = ResourceRequirements{{}, {{"ephemeral-storage", Quantity::Of(9)}}}};
  EXPECT_EQ(EffectiveLimit(pod, "ephemeral-storage"), std::nullopt) << "not at pod level";
}

}  // namespace
}  // namespace jettison
