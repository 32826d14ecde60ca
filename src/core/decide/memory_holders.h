#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/model/summary.h"
#include "core/pods/pod_facts.h"

namespace jettison {

// Who holds the memory of the node: working sets, in bytes, which add up to `all`.
struct MemoryHolders {
  std::int64_t all = 0;       // of the node
  std::int64_t pods = 0;      // those that may be evicted
  std::int64_t critical = 0;  // those that are never evicted
  std::int64_t foreign = 0;   // foreign pods that are only observed
  std::int64_t ending = 0;    // those that have been told to end
  std::int64_t gone = 0;      // charged to the pods' group, and to none of its pods: what pods that
                              // are gone have left behind, files in a tmpfs above all
  std::int64_t outside = 0;   // processes outside the pods, and the kernel for them
  // Parts of all this, whoever holds them; absent: the kernel does not tell.
  std::optional<std::int64_t> shared;  // tmpfs and shared memory
  std::optional<std::int64_t> kernel;

  friend bool operator==(const MemoryHolders&, const MemoryHolders&) = default;
};

// Of a node with these pods; `ending` is held by pods that are none of them any more. Absent where
// the memory of the node was not measured.
[[nodiscard]] std::optional<MemoryHolders> HoldersOf(const NodeStats& node,
                                                     std::span<const ActivePod> pods,
                                                     std::int64_t ending);

// Whether others than the pods that may be evicted, or are ending, hold most of it.
[[nodiscard]] bool AreOthers(const MemoryHolders& holders);

// "processes outside the pods 300Mi, pods that may be evicted 50Mi; of it tmpfs and shared memory
// 120Mi": whoever holds 1 MiB or more, the most first.
[[nodiscard]] std::string TextOf(const MemoryHolders& holders);

}  // namespace jettison
