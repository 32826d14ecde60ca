#include "machine/cgroups/pods_root.h"

namespace jettison {
namespace {

bool IsInSlices(const AgentConfig& config) {
  return config.source == SourceKind::kKubernetes && config.cgroup_driver == CgroupDriver::kSystemd;
}

}  // namespace

kernel::GroupNames GroupNamesOf(const AgentConfig& config) {
  if (!IsInSlices(config)) return config.cgroup_driver;
  return {config.cgroup_driver, kernel::SlicesBelow(config.cgroup_root)};
}

std::string RootBelowNode(const AgentConfig& config) {
  return IsInSlices(config) ? kernel::SliceOf(config.cgroup_root) : config.cgroup_root;
}

std::string PodsRootOf(const AgentConfig& config) {
  return config.node_cgroup + RootBelowNode(config);
}

}  // namespace jettison
