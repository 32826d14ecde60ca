#pragma once

#include <string>
#include <string_view>

#include "model/pod.h"
#include "model/pod_resources.h"
#include "pod_host/cgroup_layout.h"

namespace jettison::cri {

// A pod of one container.
inline Pod SimplePod(const std::string& uid) {
  Pod pod;
  pod.name = "pod-" + uid;
  pod.uid = uid;
  pod.containers.resize(1);
  pod.containers[0].name = "main";
  pod.containers[0].image = "bed.local/tiny:1";
  return pod;
}

inline pod_host::PodRules PlainRules() {
  const auto sum = [](ResourceSide side) {
    return [side](const Pod& pod, std::string_view resource) {
      return SumOfContainers(pod, side, resource);
    };
  };
  return {.qos_class = [](const Pod&) { return QosClass::kBurstable; },
          .request =
              [sum](const Pod& pod, std::string_view resource) {
                return sum(&ResourceRequirements::requests)(pod, resource).value_or(Quantity());
              },
          .limit = sum(&ResourceRequirements::limits)};
}

}  // namespace jettison::cri
