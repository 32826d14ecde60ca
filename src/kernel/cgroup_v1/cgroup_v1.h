#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/result.h"
#include "kernel/cgroup_v1/hierarchies.h"
#include "kernel/groups/kept_files.h"
#include "kernel/groups/kernel_groups.h"

namespace jettison {

struct CgroupV1Options {
  // The node's group as a path from the root of each hierarchy ("" is the root). The caller names
  // it, because the group of the agent's own process says nothing about the node's.
  std::string node_cgroup;
  // Where the mounts are read from.
  std::string mountinfo_file = "/proc/self/mountinfo";
  // How long Remove waits for killed processes to be gone.
  std::chrono::milliseconds remove_patience{1000};
};

// The port over cgroup v1: controllers memory, cpu, cpuacct, pids and freezer, and the unified tree
// where a hybrid host has it. Kill takes less than a millisecond for a few processes.
class CgroupV1 : public kernel::KernelGroups {
 public:
  // kUnavailable where no v1 memory controller is mounted, kNotFound where the node's group does
  // not exist there. In the other hierarchies a missing node's group is made.
  [[nodiscard]] static Result<std::unique_ptr<CgroupV1>> Open(const CgroupV1Options& options);

  [[nodiscard]] Result<void> Create(std::string_view path, const CgroupLimits& limits) override;
  [[nodiscard]] Result<CgroupMemory> ReadMemory(std::string_view path) override;
  // hierarchical_memory_limit: the lowest limit of the group and of those above it. Absent for
  // unlimited; a limit may be more than the machine has.
  [[nodiscard]] Result<std::optional<std::uint64_t>> ReadMemoryLimit(
      std::string_view path) override;
  // One reading of the same two files.
  [[nodiscard]] Result<LimitedMemory> ReadLimitedMemory(std::string_view path) override;
  // kUnavailable for a hierarchy's root, which has no pids files: /proc/loadavg counts there.
  [[nodiscard]] Result<std::uint64_t> ReadPids(std::string_view path) override;
  [[nodiscard]] Result<bool> HasCpuShares(std::string_view path, std::uint64_t shares) override;
  // Counts victims of this very group, not of those below (v1 does not add these up).
  [[nodiscard]] Result<std::uint64_t> ReadOomKills(std::string_view path) override;
  // Whether the controller is there ("memory", "cpu", "cpuacct", "pids", "freezer", "unified").
  [[nodiscard]] bool Has(cgroup_v1::Controller controller) const {
    return hierarchies_.Find(controller) != nullptr;
  }

 private:
  CgroupV1(cgroup_v1::Hierarchies hierarchies, std::chrono::milliseconds remove_patience,
           std::size_t keep);
  [[nodiscard]] std::vector<kernel::GroupPlace> PlacesOf(std::string_view path) const override;
  [[nodiscard]] int MemoryRoot() const override { return hierarchies_.memory(); }
  [[nodiscard]] Result<int> TasksRoot() const override;
  [[nodiscard]] Result<int> UnifiedRoot() const override;
  [[nodiscard]] Result<void> KillAll(std::string_view path, int group) override;
  [[nodiscard]] std::vector<kernel::KeptFiles*> Kept() override;

  const cgroup_v1::Hierarchies hierarchies_;
  kernel::KeptFiles memory_;
  kernel::KeptFiles tasks_;
  kernel::KeptFiles shares_;
};

}  // namespace jettison
