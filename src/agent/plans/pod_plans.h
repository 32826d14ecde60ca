#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/config/agent_config.h"
#include "core/model/pod.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "ports/pod_plan.h"

namespace jettison {

// The configured settings for the limits of all pods.
[[nodiscard]] kernel::LimitSettings LimitSettingsOf(const AgentConfig& config);

// The pod's class and limits, which a runtime needs to run it.
[[nodiscard]] PodPlan PlanOf(std::shared_ptr<const Pod> pod, const kernel::LimitSettings& settings);

// Pods written down as JSON, in the form of the Kubernetes API.
class JsonPods : public WrittenPods {
 public:
  explicit JsonPods(const kernel::LimitSettings& settings) : settings_(settings) {}

  [[nodiscard]] std::string Write(const Pod& pod) const override;
  [[nodiscard]] Result<PodPlan> Read(std::string_view text) const override;

 private:
  kernel::LimitSettings settings_;
};

}  // namespace jettison
