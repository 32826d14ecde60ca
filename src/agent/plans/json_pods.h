#pragma once

#include <string>
#include <string_view>

#include "kernel/groups/layout/cgroup_layout.h"
#include "ports/pod_plan.h"

namespace jettison {

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
