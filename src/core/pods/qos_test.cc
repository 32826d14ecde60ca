#include <gtest/gtest.h>

#include "core/model/pod_resources.h"
#include "core/pods/pod_kind.h"

namespace jettison {
namespace {

ResourceRequirements Resources(const ResourceList& requests, const ResourceList& limits) {
  return {.requests = requests, .limits = limits};
}

Quantity Q(const char* text) {
  return Quantity::Parse(text).value();
}

Container With(const ResourceRequirements& resources) {
  Container container;
  container.resources = resources;
  return container;
}

const ResourceRequirements kNothing;
const ResourceRequirements kEqual = Resources({{"cpu", Q("1")}, {"memory", Q("1Gi")}},
                                              {{"cpu", Q("1000m")}, {"memory", Q("1024Mi")}});
const ResourceRequirements kMemoryOnly = Resources({{"memory", Q("1Gi")}}, {{"memory", Q("1Gi")}});
const ResourceRequirements kZeros = Resources({{"cpu", Q("0")}}, {{"memory", Q("0")}});
const ResourceRequirements kStorage = Resources({{"ephemeral-storage", Q("1Gi")}}, {});

struct QosRow {
  const char* rule;
  std::vector<ResourceRequirements> init_containers;
  std::vector<ResourceRequirements> containers;
  std::optional<ResourceRequirements> pod;
  QosClass qos;
};

TEST(ComputeQosClass, FollowsCpuAndMemoryOfEveryContainer) {
  const std::vector<QosRow> rows = {
      {"nobody asks", {}, {kNothing, kNothing}, {}, QosClass::kBestEffort},
      {"no container", {}, {}, {}, QosClass::kBestEffort},
      {"zero counts as absent", {}, {kZeros}, {}, QosClass::kBestEffort},
      {"only cpu and memory count", {}, {kStorage}, {}, QosClass::kBestEffort},
      {"equal amounts, however written", {}, {kEqual, kEqual}, {}, QosClass::kGuaranteed},
      {"one resource is not enough", {}, {kMemoryOnly}, {}, QosClass::kBurstable},
      {"mixed containers", {}, {kEqual, kNothing}, {}, QosClass::kBurstable},
      {"init containers count", {kNothing}, {kEqual}, {}, QosClass::kBurstable},
      {"a request without limit",
       {},
       {Resources({{"cpu", Q("1m")}}, {})},
       {},
       QosClass::kBurstable},
      {"pod level decides alone", {}, {kNothing}, kEqual, QosClass::kGuaranteed},
      {"an empty pod level too", {}, {kEqual}, kNothing, QosClass::kBestEffort},
  };
  for (const QosRow& row : rows) {
    Pod pod;
    for (const auto& resources : row.init_containers)
      pod.init_containers.push_back(With(resources));
    for (const auto& resources : row.containers) pod.containers.push_back(With(resources));
    pod.resources = row.pod;
    EXPECT_EQ(NameOf(ComputeQosClass(pod)), NameOf(row.qos)) << row.rule;
  }
}

TEST(QosClassOf, PrefersTheStatus) {
  Pod pod;
  pod.containers.push_back(With(kEqual));
  EXPECT_EQ(QosClassOf(pod), QosClass::kGuaranteed);
  pod.status_qos_class = QosClass::kBestEffort;
  EXPECT_EQ(QosClassOf(pod), QosClass::kBestEffort);
}

}  // namespace
}  // namespace jettison
