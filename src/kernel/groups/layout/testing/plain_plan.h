#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "core/model/pod.h"
#include "core/units/result.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "ports/pod_plan.h"

namespace jettison::kernel {

// For tests: the plan of a burstable pod without init containers and overhead.
inline PodPlan PlainPlan(const Pod& pod, const LimitSettings& settings = {}) {
  const auto limit = [&](std::string_view resource) {
    return SumOfContainers(pod, &ResourceRequirements::limits, resource);
  };
  const PodAmounts amounts{
      .cpu_request =
          SumOfContainers(pod, &ResourceRequirements::requests, "cpu").value_or(Quantity()),
      .cpu_limit = limit("cpu"),
      .memory_limit = limit("memory")};
  PodPlan plan{.pod = std::make_shared<const Pod>(pod),
               .qos = QosClass::kBurstable,
               .milli_cpu = amounts.cpu_request.MilliValue(),
               .limits = PodLimits(pod, amounts, settings)};
  for (const auto* containers : {&pod.init_containers, &pod.containers}) {
    for (const Container& container : *containers) {
      plan.container_limits[container.name] = ContainerLimits(container, settings);
    }
  }
  return plan;
}

// For tests: pods are written down as their UID, and `known` says what each means.
class PodsByUid : public WrittenPods {
 public:
  explicit PodsByUid(const std::map<std::string, Pod>& known, LimitSettings settings = {})
      : known_(known), settings_(settings) {}

  [[nodiscard]] std::string Write(const Pod& pod) const override { return pod.uid; }
  [[nodiscard]] Result<PodPlan> Read(std::string_view text) const override {
    const auto found = known_.find(std::string(text));
    if (found == known_.end()) return Fail(ErrorCode::kInvalidArgument, "not a pod");
    return PlainPlan(found->second, settings_);
  }

 private:
  const std::map<std::string, Pod>& known_;
  LimitSettings settings_;
};

}  // namespace jettison::kernel
