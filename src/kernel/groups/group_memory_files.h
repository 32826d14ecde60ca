#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "ports/cgroups.h"
#include "ports/group_memory.h"

namespace jettison::kernel {

// The port over the files of control groups, whichever version they are of: memory.reclaim takes as
// much as is asked for (cgroup v2, Linux 5.19); memory.force_empty, where there is only that
// (cgroup v1), all that the kernel can take, page cache and, with swap, anonymous memory. CPU time
// is that of cpu.stat in the unified hierarchy, which needs no controller.
class GroupMemoryFiles : public GroupMemory {
 public:
  explicit GroupMemoryFiles(std::shared_ptr<const Cgroups> groups) : groups_(std::move(groups)) {}

  [[nodiscard]] Result<void> Take(std::string_view group, std::uint64_t bytes) override;
  [[nodiscard]] Result<std::uint64_t> CpuTimeUs(std::string_view group) override;

 private:
  std::shared_ptr<const Cgroups> groups_;
};

// The file of a group that memory is taken back by: "memory.reclaim", "memory.force_empty", or ""
// where it has neither.
[[nodiscard]] std::string_view ReclaimFileOf(int group);

// Whether pages are charged to a group, and the kernel takes them back on request.
[[nodiscard]] bool HasPagesToDrop(int group);
// Has the kernel take back all that it can from a group: page cache, for who ended leaves nothing
// else. A kernel with busy processors takes up to a second for it.
void DropPages(int group);

}  // namespace jettison::kernel
