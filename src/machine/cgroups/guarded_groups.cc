#include "machine/cgroups/guarded_groups.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <string>
#include <utility>

#include "kernel/files/own_folders.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "machine/cgroups/host_cgroups.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

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

Result<void> Lock(const AgentConfig& config, GuardedGroups& groups) {
  const std::string group = kernel::PodsGroup(GroupNamesOf(config));
  auto lock = LockPodsGroup(
      groups.of_root ? *groups.of_root : *groups.of_node,
      {.path = group, .shown = fmt::format("{}/{}", PodsRootOf(config), group)}, config.root);
  if (!lock) return Fail(lock.error());
  groups.lock = std::move(*lock);
  return {};
}

}  // namespace

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
  if (const auto locked = Lock(config, groups); !locked) return Fail(locked.error());
  return groups;
}

}  // namespace jettison
