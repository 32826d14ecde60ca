#include "machine/cgroups/kubelet_tree.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "kernel/groups/layout/cgroup_layout.h"
#include "machine/cgroups/host_cgroups.h"
#include "ports/file_descriptor.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

Result<void> Enter(const std::string& host) {
  const FileDescriptor view(::open(host.c_str(), O_RDONLY | O_CLOEXEC));
  if (!view) return FailErrno("open " + host);
  if (::setns(view.get(), CLONE_NEWCGROUP) != 0) return FailErrno("setns");
  return {};
}

// A group that may be the kubelet's of all pods.
struct Tree {
  CgroupDriver driver;
  std::string group;  // from the node's own
  std::string shown;  // from the root of each hierarchy
  bool is_there = false;
  bool has_processes = false;
};

// A group that cannot be read is no reason to take the other one.
Result<Tree> LookAtTree(AgentConfig config, CgroupDriver driver, Cgroups& groups) {
  config.cgroup_driver = driver;
  const std::string path =
      fmt::format("{}/{}", RootBelowNode(config), kernel::PodsGroup(GroupNamesOf(config)));
  Tree tree{.driver = driver, .group = path.substr(1), .shown = config.node_cgroup + path};
  const auto children = groups.Children(tree.group);
  if (!children && children.error().code == ErrorCode::kNotFound) return tree;
  if (!children) return Fail(children.error().In(tree.shown));
  const auto processes = groups.Processes(tree.group);
  if (!processes) return Fail(processes.error().In(tree.shown));
  tree.is_there = true;
  tree.has_processes = !processes->empty();
  return tree;
}

}  // namespace

bool AreGroupsSeenFromWithin(const std::vector<kernel::Mount>& mounts) {
  return std::ranges::any_of(mounts, [](const kernel::Mount& mount) {
    return mount.type.starts_with("cgroup") && mount.root.starts_with("/..");
  });
}

Result<void> EnterHostCgroupView(const std::string& mountinfo_file, const std::string& host) {
  const auto mounts = kernel::ReadMounts(mountinfo_file);
  if (!mounts) return Fail(mounts.error());
  if (!AreGroupsSeenFromWithin(*mounts)) return {};
  if (const auto entered = Enter(host); !entered) {
    return Fail(entered.error().In(
        "the container sees control groups in a namespace of its own, where pods have no names; "
        "give it hostPID and the capabilities SYS_ADMIN and SYS_PTRACE"));
  }
  return {};
}

Result<CgroupDriver> DriverInUse(const AgentConfig& config, Cgroups& node_groups, const Log& log) {
  const auto plain = LookAtTree(config, CgroupDriver::kCgroupfs, node_groups);
  if (!plain) return Fail(plain.error());
  const auto slices = LookAtTree(config, CgroupDriver::kSystemd, node_groups);
  if (!slices) return Fail(slices.error());
  if (!plain->is_there && !slices->is_there) {
    return Fail(ErrorCode::kNotFound,
                fmt::format("the kubelet's group of all pods is not there, neither {} nor {}; see "
                            "that the kubelet runs, and that cgroupRoot is the kubelet's",
                            plain->shown, slices->shown));
  }
  const bool both = plain->is_there && slices->is_there;
  if (both && plain->has_processes == slices->has_processes) {
    return Fail(
        ErrorCode::kUnavailable,
        fmt::format("{} and {} are both there, and {} has processes, so it is not known in "
                    "which one the kubelet has its pods; remove the one that an earlier "
                    "cgroupDriver of the kubelet has left, or restart the node",
                    plain->shown, slices->shown, plain->has_processes ? "each" : "neither"));
  }
  const bool is_plain = both ? plain->has_processes : plain->is_there;
  const Tree& taken = is_plain ? *plain : *slices;
  log.Info("the kubelet's pods are in this control group",
           {{"group", taken.shown},
            {"cgroupDriver", NameOf(taken.driver)},
            {"configured", NameOf(config.cgroup_driver)},
            {"why", fmt::format("{} {}", (is_plain ? *slices : *plain).shown,
                                both ? "is there, too, but has no processes" : "is not there")}});
  return taken.driver;
}

Result<AgentConfig> WithDriverInUse(AgentConfig config, const Log& log) {
  if (config.source != SourceKind::kKubernetes) return config;
  if (const auto view = EnterHostCgroupView(); !view) return Fail(view.error());
  const std::string& node = config.node_cgroup;
  const auto groups =
      OpenHostCgroups({.node_cgroup = node.starts_with('/') ? node.substr(1) : node});
  if (!groups) return Fail(groups.error().In("control groups of the node"));
  const auto driver = DriverInUse(config, **groups, log);
  if (!driver) return Fail(driver.error());
  config.cgroup_driver = *driver;
  return config;
}

}  // namespace jettison
