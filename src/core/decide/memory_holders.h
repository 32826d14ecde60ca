#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/model/summary.h"
#include "core/pods/pod_facts.h"

namespace jettison {

// The memory of the node by holder: working sets, in bytes, which add up to `all`.
struct MemoryHolders {
  std::int64_t all = 0;       // of the node
  std::int64_t pods = 0;      // those that may be evicted
  std::int64_t critical = 0;  // those that are never evicted
  std::int64_t foreign = 0;   // foreign pods that are only observed
  std::int64_t ending = 0;    // those that have been told to end
  std::int64_t gone = 0;      // charged to the pods' group, and to none of its pods: what pods that
                              // are gone have left behind, files in a tmpfs above all, and
                              // processes of others in the place of a pod
  std::int64_t outside = 0;   // processes outside the pods, and the kernel for them
  // Parts of `all`, of any holder; absent: the kernel does not report them.
  std::optional<std::int64_t> shared;  // tmpfs and shared memory
  std::optional<std::int64_t> kernel;

  friend bool operator==(const MemoryHolders&, const MemoryHolders&) = default;
};

// The holders on a node with these active pods; `ending` is the working set of pods that are ending
// and no longer active. Absent if the memory of the node was not measured.
[[nodiscard]] std::optional<MemoryHolders> HoldersOf(const NodeStats& node,
                                                     std::span<const ActivePod> pods,
                                                     std::int64_t ending);

// Whether most of the memory is held by something other than evictable and ending pods.
[[nodiscard]] bool AreOthers(const MemoryHolders& holders);

// "processes outside the pods 300Mi, pods that may be evicted 50Mi; of it tmpfs and shared memory
// 120Mi": every holder of 1 MiB or more, the largest first; where there is none, the largest
// holder.
[[nodiscard]] std::string TextOf(const MemoryHolders& holders);

}  // namespace jettison
