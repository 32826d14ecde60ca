#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/cgroup_v2/processes.h"
#include "kernel/cgroup_v2/tree.h"
#include "kernel/groups/kept_files.h"
#include "ports/cgroups.h"
#include "ports/file_descriptor.h"

namespace jettison {

struct CgroupV2Options {
  // The node's group as a path from the top of the hierarchy ("" is the top). The caller names it,
  // because the group of the agent's own process says nothing about the node's.
  std::string node_cgroup;
  // Where the mounts are read from.
  std::string mountinfo_file = "/proc/self/mountinfo";
  // How long Remove waits for killed processes to be gone.
  std::chrono::milliseconds remove_patience{1000};
  cgroup_v2::KillBy kill_by = cgroup_v2::KillBy::kKillFile;
};

// The port over the unified hierarchy: controllers memory, cpu and pids, handed down to each group
// that it makes. Reading memory and tasks takes a few microseconds and opens and allocates nothing
// once a group has been read; Kill is one write; Create, Join and Remove wait for the kernel and
// belong off the hot path. Every method may be called from any thread. "" names the node itself,
// which can be read but not signalled, killed or removed.
class CgroupV2 : public Cgroups {
 public:
  // kUnavailable where no unified hierarchy is mounted, kNotFound where the node's group does not
  // exist.
  [[nodiscard]] static Result<std::unique_ptr<CgroupV2>> Open(const CgroupV2Options& options);

  // kUnavailable, too, where a group above has processes of its own and so cannot hand controllers
  // down.
  [[nodiscard]] Result<void> Create(std::string_view path, const CgroupLimits& limits) override;
  [[nodiscard]] Result<void> Remove(std::string_view path) override;
  void Forget(std::string_view path) override;
  // A `pid` of 0 is the calling process. The group must be one without groups below.
  [[nodiscard]] Result<void> Join(std::string_view path, pid_t pid) override;
  [[nodiscard]] Result<std::vector<ProcsFile>> OpenProcs(std::string_view path) override;
  [[nodiscard]] Result<std::vector<pid_t>> Processes(std::string_view path) override;
  [[nodiscard]] Result<void> Signal(std::string_view path, int signal) override;
  // Returns when SIGKILL is pending for every process; see cgroup_v2::KillAll.
  [[nodiscard]] Result<void> Kill(std::string_view path) override;
  [[nodiscard]] Result<std::vector<std::string>> Children(std::string_view path) override;
  // Of the root, which counts no use of its own: anonymous memory and page cache of its
  // memory.stat.
  [[nodiscard]] Result<CgroupMemory> ReadMemory(std::string_view path) override;
  [[nodiscard]] Result<std::uint64_t> ReadMemoryUsage(std::string_view path) override;
  // The lowest memory.max of the group and of those above it, up to the top of the hierarchy.
  [[nodiscard]] Result<std::optional<std::uint64_t>> ReadMemoryLimit(
      std::string_view path) override;
  // kUnavailable for the root, which has no pids files: /proc/loadavg counts there.
  [[nodiscard]] Result<std::uint64_t> ReadPids(std::string_view path) override;
  [[nodiscard]] Result<std::optional<std::uint64_t>> ReadPidsLimit(std::string_view path) override;
  [[nodiscard]] Result<bool> HasCpuShares(std::string_view path, std::uint64_t shares) override;
  // Counts victims of the group and of those below it.
  [[nodiscard]] Result<std::uint64_t> ReadOomKills(std::string_view path) override;
  [[nodiscard]] Result<FileDescriptor> OpenMemoryDirectory(std::string_view path) const override;
  // The same directory.
  [[nodiscard]] Result<FileDescriptor> OpenPressureDirectory(std::string_view path) const override {
    return OpenMemoryDirectory(path);
  }

  // Whether the node has the controller ("memory", "cpu", "pids") to give to the groups below it.
  [[nodiscard]] bool Has(std::string_view controller) const;
  // Whether one write can end the whole group (cgroup.kill, Linux 5.14). Kill does not need it.
  [[nodiscard]] bool HasKillFile(std::string_view path) const;

 private:
  CgroupV2(cgroup_v2::Tree tree, const CgroupV2Options& options, std::size_t keep);
  [[nodiscard]] Result<FileDescriptor> OpenBelowNode(std::string_view path) const;
  [[nodiscard]] Result<std::optional<std::uint64_t>> ReadLimitAboveNode();
  [[nodiscard]] Result<std::optional<std::uint64_t>> ReadLimitOf(std::string_view path);

  const cgroup_v2::Tree tree_;
  const std::chrono::milliseconds remove_patience_;
  const cgroup_v2::KillBy kill_by_;
  kernel::KeptFiles usage_;
  kernel::KeptFiles memory_;
  kernel::KeptFiles root_memory_;
  kernel::KeptFiles tasks_;
  kernel::KeptFiles weights_;
  kernel::KeptFiles oom_kills_;
  kernel::KeptFiles limits_;        // of groups below the node's, and its own
  kernel::KeptFiles limits_above_;  // of groups above the node's, named from the top
};

}  // namespace jettison
