#include "machine/cgroups/host_cgroups.h"

#include <utility>

#include "kernel/cgroup_v1/cgroup_v1.h"
#include "kernel/cgroup_v1/hierarchies.h"
#include "kernel/cgroup_v2/cgroup_v2.h"
#include "kernel/cgroup_v2/tree.h"
#include "kernel/mounts/mount_info.h"

namespace jettison {
namespace {

template <typename Room>
Result<std::unique_ptr<Cgroups>> AsPort(Result<std::unique_ptr<Room>> opened) {
  if (!opened) return Fail(opened.error());
  return std::unique_ptr<Cgroups>(std::move(*opened));
}

bool IsInSlices(const AgentConfig& config) {
  return config.source == SourceKind::kKubernetes && config.cgroup_driver == CgroupDriver::kSystemd;
}

}  // namespace

std::string_view NameOf(CgroupVersion version) {
  switch (version) {
    case CgroupVersion::kV1: return "cgroup v1";
    case CgroupVersion::kV2: return "cgroup v2";
  }
  __builtin_unreachable();
}

Result<CgroupVersion> MountedCgroups(const std::string& mountinfo_file) {
  const auto mounts = kernel::ReadMounts(mountinfo_file);
  if (!mounts) return Fail(mounts.error());
  const auto hierarchies = cgroup_v1::FindHierarchies(*mounts);
  return hierarchies[cgroup_v1::Controller::kMemory] ? CgroupVersion::kV1 : CgroupVersion::kV2;
}

std::string WhyNoMemory(const std::string& mountinfo_file) {
  const auto mounts = kernel::ReadMounts(mountinfo_file);
  if (!mounts) return mounts.error().message;
  if (cgroup_v1::FindHierarchies(*mounts)[cgroup_v1::Controller::kMemory]) return "";
  const auto point = cgroup_v2::FindUnified(*mounts);
  const auto controllers = cgroup_v2::ControllersAt(point.value_or("/sys/fs/cgroup"));
  if (controllers && cgroup_v2::HasController(*controllers, "memory")) return "";
  return "the kernel has no memory controller for control groups: boot with cgroup_enable=memory "
         "(a "
         "Raspberry Pi: add it to the line in /boot/firmware/cmdline.txt), without "
         "cgroup_disable=memory";
}

Result<std::unique_ptr<Cgroups>> OpenHostCgroups(const HostCgroupsOptions& options) {
  const auto version = MountedCgroups(options.mountinfo_file);
  if (!version) return Fail(version.error());
  if (*version == CgroupVersion::kV1) {
    return AsPort(CgroupV1::Open({.node_cgroup = options.node_cgroup,
                                  .mountinfo_file = options.mountinfo_file,
                                  .remove_patience = options.remove_patience}));
  }
  return AsPort(CgroupV2::Open({.node_cgroup = options.node_cgroup,
                                .mountinfo_file = options.mountinfo_file,
                                .remove_patience = options.remove_patience}));
}

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
