#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "core/model/pod.h"
#include "core/units/result.h"
#include "ports/cgroups.h"

namespace jettison {

// A pod with the class and the limits that the rules of Kubernetes and the configuration give it:
// everything that a runtime needs to run it.
struct PodPlan {
  std::shared_ptr<const Pod> pod;  // shared by all that know the pod; never null
  QosClass qos = QosClass::kBestEffort;
  std::int64_t milli_cpu =
      0;                     // the CPU that it asks for, of which the group of its class has shares
  CgroupLimits limits = {};  // of the pod's group
  std::map<std::string, CgroupLimits, std::less<>> container_limits = {};  // by name
};

// The limits of the group of one of the plan's containers.
[[nodiscard]] inline const CgroupLimits& LimitsOf(const PodPlan& plan, std::string_view container) {
  return plan.container_limits.find(container)->second;
}

// Converts a pod to text and back, so that a runtime can keep it for the next agent.
class WrittenPods {
 public:
  virtual ~WrittenPods() = default;

  [[nodiscard]] virtual std::string Write(const Pod& pod) const = 0;
  // The plan of a pod that was kept as `text`, by the present configuration. Fails if the text
  // describes no pod.
  [[nodiscard]] virtual Result<PodPlan> Read(std::string_view text) const = 0;
};

}  // namespace jettison
