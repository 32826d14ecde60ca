#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/cgroup_v2/tree.h"
#include "kernel/groups/kept_files.h"
#include "kernel/groups/kernel_groups.h"
#include "ports/file_descriptor.h"

namespace jettison {

namespace cgroup_v2 {
// How processes are ended that signals alone may miss, because they fork: by one write to
// cgroup.kill where the kernel has it (Linux 5.14), or, as on an older one, by further signals.
enum class KillBy { kKillFile, kSignals };
}  // namespace cgroup_v2

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
// that it makes. Kill is one write where signals may have missed a process.
class CgroupV2 : public kernel::KernelGroups {
 public:
  // kUnavailable where no unified hierarchy is mounted, kNotFound where the node's group does not
  // exist.
  [[nodiscard]] static Result<std::unique_ptr<CgroupV2>> Open(const CgroupV2Options& options);

  // kUnavailable, too, where a group above has processes of its own and so cannot hand controllers
  // down.
  [[nodiscard]] Result<void> Create(std::string_view path, const CgroupLimits& limits) override;
  // Of the root, which counts no use of its own: anonymous memory and page cache of its
  // memory.stat.
  [[nodiscard]] Result<CgroupMemory> ReadMemory(std::string_view path) override;
  // The lowest memory.max of the group and of those above it, up to the top of the hierarchy.
  [[nodiscard]] Result<std::optional<std::uint64_t>> ReadMemoryLimit(
      std::string_view path) override;
  // kUnavailable for the root, which has no pids files: /proc/loadavg counts there.
  [[nodiscard]] Result<std::uint64_t> ReadPids(std::string_view path) override;
  [[nodiscard]] Result<bool> HasCpuShares(std::string_view path, std::uint64_t shares) override;
  // Counts victims of the group and of those below it.
  [[nodiscard]] Result<std::uint64_t> ReadOomKills(std::string_view path) override;
  // Whether the node has the controller ("memory", "cpu", "pids") to give to the groups below it.
  [[nodiscard]] bool Has(std::string_view controller) const;

 private:
  CgroupV2(cgroup_v2::Tree tree, const CgroupV2Options& options, std::size_t keep);
  [[nodiscard]] std::vector<kernel::GroupPlace> PlacesOf(std::string_view path) const override;
  [[nodiscard]] int MemoryRoot() const override { return tree_.node(); }
  [[nodiscard]] Result<int> TasksRoot() const override { return tree_.node(); }
  [[nodiscard]] Result<int> UnifiedRoot() const override { return tree_.node(); }
  [[nodiscard]] Result<void> KillAll(std::string_view path, int group) override;
  [[nodiscard]] std::vector<kernel::KeptFiles*> Kept() override;
  [[nodiscard]] Result<std::optional<std::uint64_t>> ReadLimitAboveNode();
  [[nodiscard]] Result<std::optional<std::uint64_t>> ReadLimitOf(std::string_view path);

  const cgroup_v2::Tree tree_;
  const cgroup_v2::KillBy kill_by_;
  kernel::KeptFiles memory_;
  kernel::KeptFiles root_memory_;
  kernel::KeptFiles tasks_;
  kernel::KeptFiles weights_;
  kernel::KeptFiles oom_kills_;
  kernel::KeptFiles limits_;        // of groups below the node's, and its own
  kernel::KeptFiles limits_above_;  // of groups above the node's, named from the top
};

}  // namespace jettison
