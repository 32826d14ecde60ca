#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/evaluate/evaluate.h"
#include "core/model/signal.h"
#include "core/model/summary.h"
#include "core/model/threshold.h"
#include "core/pods/pod_facts.h"

namespace jettison {

// A part of what is used, and who or what holds it.
struct HolderPart {
  std::string_view key;       // for programs: "critical"
  std::string_view name;      // "pods that are never evicted"
  std::int64_t amount = 0;    // in the unit of the signal
  bool may_be_freed = false;  // by pods that may be evicted, or that are ending
};

// What is used of that which a signal watches, by holder: the memory of the node, or the bytes or
// inodes of a file system.
struct Holders {
  Signal signal = Signal::kMemoryAvailable;
  std::int64_t all = 0;
  std::vector<HolderPart> parts;   // which add up to `all`
  std::vector<HolderPart> within;  // parts of `all`, whoever holds them
};

// The holders on a node with these active pods; `ending` is what pods hold that are ending and no
// longer active, which is known of memory alone. Absent: the node or no pod was measured, or the
// signal watches something else.
[[nodiscard]] std::optional<Holders> HoldersOf(Signal signal, const NodeStats& node,
                                               std::span<const ActivePod> pods, DiskLayout layout,
                                               std::int64_t ending);

// Those of the memory, and those of the disk whose threshold is the most urgent of those met.
[[nodiscard]] std::vector<Signal> SignalsWithHolders(std::span<const Threshold> thresholds,
                                                     ThresholdSet met);

// Whether most is held by something other than pods that may be evicted, or that are ending.
[[nodiscard]] bool AreOthers(const Holders& holders);

// "processes outside the pods 300Mi, pods that may be evicted 50Mi; of all this tmpfs and shared
// memory 120Mi": every holder of 1 MiB or more, the largest first; where there is none, the largest
// holder.
[[nodiscard]] std::string TextOf(const Holders& holders);

// What a pod counts for when it is ranked for a disk: "local volumes 2Gi, logs 3Mi"; empty:
// nothing, or the signal is none of a disk.
[[nodiscard]] std::string CountedText(const ActivePod& pod, Signal signal, DiskLayout layout);

// "memory", "disk" or "inodes".
[[nodiscard]] std::string_view NameOfStore(Signal signal);

}  // namespace jettison
