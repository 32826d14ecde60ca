#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/result.h"
#include "kernel/cgroup_v2/tree.h"
#include "kernel/groups/kernel_groups.h"
#include "kernel/groups/open_files.h"

// The text of cgroup v2 files as values (kernel: Documentation/admin-guide/cgroup-v2.rst). A text
// that the kernel would not write is kInternal, never a zero; rows that are not known are passed
// over. What both versions have is in kernel/groups/open_files.h.
namespace jettison::cgroup_v2 {

// The memory of a group and everything below it, by its memory.stat alone, as the kubelet counts
// the root: anonymous memory and page cache together are what is used; the kernel's own memory is
// not in it. Fails when a row is missing that every kernel has, or is no number.
[[nodiscard]] Result<CgroupMemory> MemoryOf(std::string_view stat);

// The first word of cpu.max: microseconds a period, or "max".
[[nodiscard]] Result<std::string_view> ParseCpuQuota(std::string_view text);

}  // namespace jettison::cgroup_v2

namespace jettison {

// The port over the unified hierarchy: controllers memory, cpu and pids, handed down to each group
// that it makes. Kill is one write where signals may have missed a process.
class CgroupV2 : public kernel::KernelGroups {
 public:
  // kUnavailable where no unified hierarchy is mounted, kNotFound where the node's group does not
  // exist.
  [[nodiscard]] static Result<std::unique_ptr<CgroupV2>> Open(const kernel::GroupsOptions& options);

  // kUnavailable, too, where a group above has processes of its own and so cannot hand controllers
  // down.
  [[nodiscard]] Result<void> Create(std::string_view path, const CgroupLimits& limits) override;
  // Of the root, which counts no use of its own: anonymous memory and page cache of its
  // memory.stat.
  [[nodiscard]] Result<CgroupMemory> ReadMemory(std::string_view path) override;
  // The lowest memory.max of the group and of those above it, up to the top of the hierarchy.
  [[nodiscard]] Result<std::optional<std::uint64_t>> ReadMemoryLimit(
      std::string_view path) override;
  [[nodiscard]] Result<bool> HasCpuShares(std::string_view path, std::uint64_t shares) override;
  void Forget(std::string_view path) override;
  // Whether the node has the controller ("memory", "cpu", "pids") to give to the groups below it.
  [[nodiscard]] bool Has(std::string_view controller) const;

 private:
  CgroupV2(cgroup_v2::Tree tree, const kernel::GroupsOptions& options);
  [[nodiscard]] std::vector<kernel::GroupPlace> PlacesOf(std::string_view path) const override;
  [[nodiscard]] std::string FromTop(std::string_view path) const;
  [[nodiscard]] Result<void> KillAll(std::string_view path, int group) override;

  const cgroup_v2::Tree tree_;
  kernel::OpenFiles root_memory_;
  kernel::OpenFiles limits_;  // by the path from the top
};

}  // namespace jettison
