#pragma once

namespace jettison::kernel {

// Whether pages are charged to a group, and the kernel takes them back on request: by
// memory.reclaim (cgroup v2, Linux 5.19) or memory.force_empty (cgroup v1).
[[nodiscard]] bool HasPagesToDrop(int group);
// Has the kernel take back all that it can from a group: page cache, for who ended leaves nothing
// else. A kernel with busy processors takes up to a second for it.
void DropPages(int group);

}  // namespace jettison::kernel
