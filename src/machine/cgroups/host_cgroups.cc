#include "machine/cgroups/host_cgroups.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <string>
#include <utility>

#include "kernel/cgroup_v1/cgroup_v1.h"
#include "kernel/cgroup_v1/hierarchies.h"
#include "kernel/cgroup_v2/cgroup_v2.h"
#include "kernel/cgroup_v2/tree.h"
#include "kernel/files/own_folders.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "kernel/mounts/mount_info.h"
#include "machine/log/log.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

bool IsInSlices(const AgentConfig& config) {
  return config.source == SourceKind::kKubernetes && config.cgroup_driver == CgroupDriver::kSystemd;
}

std::string WithoutLeadingSlash(const std::string& path) {
  return path.starts_with('/') ? path.substr(1) : path;
}

Result<std::unique_ptr<Cgroups>> OpenGroups(const std::string& group) {
  // Nothing on this thread may wait; the runtime tries a busy group again by itself.
  auto groups = OpenHostCgroups(
      {.node_cgroup = WithoutLeadingSlash(group), .remove_patience = std::chrono::milliseconds(0)});
  if (groups) return groups;
  Error error = groups.error();
  if (error.code == ErrorCode::kNotFound) error.message += ", and give it its memory limit";
  return Fail(error.In("control groups of the node"));
}

// Where `cgroupRoot` puts the pods elsewhere.
Result<void> OpenGroupsOfRoot(const AgentConfig& config, GuardedGroups& groups) {
  if (config.cgroup_root.empty()) return {};
  if (config.source == SourceKind::kManifests) {
    const auto made =
        groups.of_node->Create(WithoutLeadingSlash(config.cgroup_root), CgroupLimits{});
    if (!made) return Fail(made.error().In("cgroupRoot " + config.cgroup_root));
  }
  auto below = OpenGroups(PodsRootOf(config));
  if (!below) return Fail(below.error());
  groups.of_root = std::move(*below);
  return {};
}

// Of cgroup v2 from Linux 5.14 on, and of v1. Nothing is written into them.
constexpr std::array<const char*, 2> kFilesOfRoot = {"cgroup.kill", "memory.force_empty"};

FileDescriptor OpenFileOfRoot(int folder) {
  for (const char* name : kFilesOfRoot) {
    FileDescriptor file(::openat(folder, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
    struct stat facts {};
    if (file && ::fstat(file.get(), &facts) == 0 && (facts.st_mode & 0077U) == 0) return file;
  }
  return {};
}

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
  bool has_processes = false;  // known where both are there
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
  tree.is_there = true;
  return tree;
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
  const auto as_port = [](auto groups) { return std::unique_ptr<Cgroups>(std::move(groups)); };
  if (*version == CgroupVersion::kV1) {
    return CgroupV1::Open({.node_cgroup = options.node_cgroup,
                           .mountinfo_file = options.mountinfo_file,
                           .remove_patience = options.remove_patience})
        .map(as_port);
  }
  return CgroupV2::Open({.node_cgroup = options.node_cgroup,
                         .mountinfo_file = options.mountinfo_file,
                         .remove_patience = options.remove_patience})
      .map(as_port);
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

Result<FileDescriptor> LockPodsGroup(Cgroups& groups, const PodsGroupName& group,
                                     const std::string& root) {
  if (auto made = groups.Create(group.path, CgroupLimits{}); !made) return Fail(made.error());
  auto folder = groups.OpenMemoryDirectory(group.path);
  if (!folder) return Fail(folder.error());
  FileDescriptor lock = OpenFileOfRoot(folder->get());
  if (!lock) lock = std::move(*folder);
  if (kernel::AwaitLock(lock.get())) return lock;
  if (errno != EWOULDBLOCK) return FailErrno("lock the cgroup of all pods");
  return Fail(ErrorCode::kUnavailable,
              fmt::format("the cgroup of all pods, {}, belongs to another agent; this agent, with "
                          "the root {}, would end its pods. Stop the other agent, or set "
                          "nodeCgroup or cgroupRoot of one of the two to another cgroup",
                          group.shown, root));
}

Result<GuardedGroups> OpenGuardedGroups(const AgentConfig& config, const Log& log) {
  const auto version = MountedCgroups();
  if (!version) return Fail(version.error());
  auto of_node = OpenGroups(config.node_cgroup);
  if (const std::string why = WhyNoMemory(); of_node && !why.empty()) {
    log.Error("no pod is evicted for memory; disks and process ids are guarded", {{"err", why}});
  }
  if (!of_node) return Fail(of_node.error());
  GuardedGroups groups{
      .version = *version, .of_node = std::move(*of_node), .of_root = nullptr, .lock = {}};
  if (const auto opened = OpenGroupsOfRoot(config, groups); !opened) return Fail(opened.error());
  const std::string group = kernel::PodsGroup(GroupNamesOf(config));
  auto lock = LockPodsGroup(
      groups.of_root ? *groups.of_root : *groups.of_node,
      {.path = group, .shown = fmt::format("{}/{}", PodsRootOf(config), group)}, config.root);
  if (!lock) return Fail(lock.error());
  groups.lock = std::move(*lock);
  return groups;
}

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
  auto plain = LookAtTree(config, CgroupDriver::kCgroupfs, node_groups);
  if (!plain) return Fail(plain.error());
  auto slices = LookAtTree(config, CgroupDriver::kSystemd, node_groups);
  if (!slices) return Fail(slices.error());
  if (!plain->is_there && !slices->is_there) {
    return Fail(ErrorCode::kNotFound,
                fmt::format("the kubelet's group of all pods is not there, neither {} nor {}; see "
                            "that the kubelet runs, and that cgroupRoot is the kubelet's",
                            plain->shown, slices->shown));
  }
  const bool both = plain->is_there && slices->is_there;
  for (Tree* const tree : {&*plain, &*slices}) {
    if (!both) break;
    const auto processes = node_groups.Processes(tree->group);
    if (!processes) return Fail(processes.error().In(tree->shown));
    tree->has_processes = !processes->empty();
  }
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
  const auto groups = OpenHostCgroups({.node_cgroup = WithoutLeadingSlash(config.node_cgroup)});
  if (!groups) return Fail(groups.error().In("control groups of the node"));
  const auto driver = DriverInUse(config, **groups, log);
  if (!driver) return Fail(driver.error());
  config.cgroup_driver = *driver;
  return config;
}

}  // namespace jettison
