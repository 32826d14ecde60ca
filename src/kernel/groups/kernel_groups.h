#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/result.h"
#include "kernel/groups/open_files.h"
#include "ports/cgroups.h"

namespace jettison::kernel {

struct GroupsOptions {
  // The node's group as a path from the root of each hierarchy ("" is the root). The caller names
  // it, because the group of the agent's own process says nothing about the node's.
  std::string node_cgroup;
  // Where the mounts are read from.
  std::string mountinfo_file = "/proc/self/mountinfo";
  // How long Remove waits for killed processes to be gone.
  std::chrono::milliseconds remove_patience{1000};
};

// A group in one hierarchy.
struct GroupPlace {
  int root = -1;     // an open directory
  std::string path;  // below it
  // For messages: the hierarchy's first controller, or where it is mounted; empty: there is one
  // alone.
  std::string_view hierarchy = {};
  bool is_own = true;  // false: only container runtimes make groups there
};

// The node's open directory in each hierarchy.
struct NodeDirectories {
  int memory = -1;
  Result<int> tasks;    // where tasks are counted
  Result<int> unified;  // where pressure files are
};

// The files of a group that the versions have in common but for their names.
struct GroupFileNames {
  std::vector<const char*> memory;  // see OpenFiles
  std::size_t optional = 0;         // of them
  const char* oom_kills = "";       // has the row oom_kill
};

// What the port does in the same way for either version of control groups. Reading memory and tasks
// takes a few microseconds and opens and allocates nothing once a group has been read; Create and
// Remove wait for the kernel and belong off the hot path. Every method may be called from any
// thread. "" names the node itself, which can be read but not signalled, killed or removed.
class KernelGroups : public Cgroups {
 public:
  // Removes the group and everything below it, deepest first. Page cache that was charged to a
  // removed group stays charged to the groups above it, unless the kernel reclaims it (cgroup v2,
  // Linux 5.19). A group is busy while a killed process exits, so a removal that the kernel refuses
  // is tried again. After the patience, which covers all groups together, the result is
  // kUnavailable; its message names the processes that are still there.
  [[nodiscard]] Result<void> Remove(std::string_view path) override;
  void Forget(std::string_view path) override;
  [[nodiscard]] Result<std::vector<ProcsFile>> OpenProcs(std::string_view path) override;
  [[nodiscard]] Result<std::vector<pid_t>> Processes(std::string_view path) override;
  [[nodiscard]] Result<void> Signal(std::string_view path, int signal) override;
  // Returns when SIGKILL is pending for every process, those forked meanwhile included, and nothing
  // is frozen. It does not wait for their exit, which takes the kernel about 70 ms per GiB they
  // hold. kDeadlineExceeded where new processes keep appearing.
  [[nodiscard]] Result<void> Kill(std::string_view path) override;
  [[nodiscard]] Result<std::vector<std::string>> Children(std::string_view path) override;
  // kUnavailable for a hierarchy's root, which has no pids files: /proc/loadavg counts there.
  [[nodiscard]] Result<std::uint64_t> ReadPids(std::string_view path) override;
  [[nodiscard]] Result<std::optional<std::uint64_t>> ReadPidsLimit(std::string_view path) override;
  // Victims of this very group (v1), or of the group and of those below it (v2).
  [[nodiscard]] Result<std::uint64_t> ReadOomKills(std::string_view path) override;
  [[nodiscard]] Result<FileDescriptor> OpenMemoryDirectory(std::string_view path) const override;
  [[nodiscard]] Result<FileDescriptor> OpenPressureDirectory(std::string_view path) const override;
  // Whether one write can end the whole group (cgroup.kill, Linux 5.14). Kill does not need it.
  [[nodiscard]] bool HasKillFile(std::string_view path) const;

 protected:
  KernelGroups(const NodeDirectories& node, const GroupFileNames& names,
               std::chrono::milliseconds remove_patience);

  // Where a group is, or may be; first in the hierarchy that accounts memory.
  [[nodiscard]] virtual std::vector<GroupPlace> PlacesOf(std::string_view path) const = 0;
  // Kills everything in a group, whose directory for memory is open.
  [[nodiscard]] virtual Result<void> KillAll(std::string_view path, int group) = 0;

  [[nodiscard]] OpenFiles& memory_files() { return memory_files_; }

 private:
  const NodeDirectories node_;
  const char* const oom_kills_;
  const std::chrono::milliseconds remove_patience_;
  OpenFiles memory_files_;
  OpenFiles tasks_files_;
};

// The result with the group that it is about.
template <typename T>
[[nodiscard]] Result<T> Of(std::string_view path, Result<T> result) {
  if (!result) return Fail(result.error().In("group \"" + std::string(path) + "\""));
  return result;
}

[[nodiscard]] inline std::string_view WithoutLeadingSlash(std::string_view path) {
  if (path.starts_with('/')) path.remove_prefix(1);
  return path;
}

// Opens the node's group below the open mount point of a hierarchy. kNotFound, with what to do,
// where it does not exist.
[[nodiscard]] Result<FileDescriptor> OpenNode(int root, const std::string& mount_point,
                                              std::string_view node_group);
[[nodiscard]] Result<FileDescriptor> OpenMountPoint(const std::string& mount_point);

}  // namespace jettison::kernel
