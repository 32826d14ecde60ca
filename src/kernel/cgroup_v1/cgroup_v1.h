#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/units/result.h"
#include "kernel/cgroup_v1/hierarchies.h"
#include "kernel/groups/kernel_groups.h"

namespace jettison::cgroup_v1 {

// The memory of a group, by its memory.stat and its memory.usage_in_bytes; the rows total_ count
// the group and everything below it (kernel: Documentation/admin-guide/cgroup-v1). Fails when a row
// is missing that every kernel has, or is no number (kInternal, never a zero); unknown rows are
// passed over.
[[nodiscard]] Result<LimitedMemory> MemoryOf(std::string_view stat, std::uint64_t usage);

}  // namespace jettison::cgroup_v1

namespace jettison {

// The port over cgroup v1: controllers memory, cpu, cpuacct, pids and freezer, and the unified tree
// where a hybrid host has it. Kill takes less than a millisecond for a few processes.
class CgroupV1 : public kernel::KernelGroups {
 public:
  // kUnavailable where no v1 memory controller is mounted, kNotFound where the node's group does
  // not exist there. In the other hierarchies a missing node's group is made.
  [[nodiscard]] static Result<std::unique_ptr<CgroupV1>> Open(const kernel::GroupsOptions& options);

  [[nodiscard]] Result<void> Create(std::string_view path, const CgroupLimits& limits) override;
  [[nodiscard]] Result<CgroupMemory> ReadMemory(std::string_view path) override;
  // hierarchical_memory_limit: the lowest limit of the group and of those above it. Absent for
  // unlimited; a limit may be more than the machine has.
  [[nodiscard]] Result<std::optional<std::uint64_t>> ReadMemoryLimit(
      std::string_view path) override;
  // One reading of the same two files.
  [[nodiscard]] Result<LimitedMemory> ReadLimitedMemory(std::string_view path) override;
  [[nodiscard]] Result<bool> HasCpuShares(std::string_view path, std::uint64_t shares) override;
  // Whether the controller is there ("memory", "cpu", "cpuacct", "pids", "freezer", "unified").
  [[nodiscard]] bool Has(cgroup_v1::Controller controller) const {
    return hierarchies_.Find(controller) != nullptr;
  }

 private:
  CgroupV1(cgroup_v1::Hierarchies hierarchies, const kernel::GroupsOptions& options);
  [[nodiscard]] std::vector<kernel::GroupPlace> PlacesOf(std::string_view path) const override;
  [[nodiscard]] Result<void> KillAll(std::string_view path, int group) override;

  const cgroup_v1::Hierarchies hierarchies_;
};

}  // namespace jettison
