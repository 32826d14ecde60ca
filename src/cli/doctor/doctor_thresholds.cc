#include <optional>

#include "cli/doctor/doctor_checks.h"
#include "core/model/fault.h"

namespace jettison {

std::optional<HostCheck> ThresholdsThatDoNotFit(const AgentConfig& config,
                                                const SignalCapacities& capacities) {
  const Faults faults = CheckAlwaysMet(config.eviction.thresholds, capacities);
  if (faults.empty()) return std::nullopt;
  const bool kubelet_guards = config.source == SourceKind::kKubernetes;
  return HostCheck{.check = "thresholds",
                   .status = kubelet_guards ? HostStatus::kDegraded : HostStatus::kMissing,
                   .found = DescribeAll(faults),
                   .cost = kubelet_guards ? "only the kubelet evicts for these signals"
                                          : "the agent evicts every pod that it may",
                   .remedy = "set values that fit the capacity of this node"};
}

}  // namespace jettison
