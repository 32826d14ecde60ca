#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/model/signal.h"
#include "core/model/summary.h"
#include "core/model/threshold.h"
#include "core/pods/pod_facts.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "sim/imported/convert.h"
#include "sim/imported/tracks.h"

namespace jettison {

// The figures of a node, each from the first series in the order of preference that exists. The
// tracks outlive them.
struct NodeFigures {
  // What series tell of a signal; null: nothing.
  struct Figure {
    Track* amount = nullptr;
    const Track* capacity = nullptr;
    bool is_used = false;          // the amount is what is used, and else what is available
    const Track* least = nullptr;  // of what is available, since the sample before
  };

  std::array<Figure, kSignalCount> figures;
  DiskLayout layout;

  [[nodiscard]] const Figure& Of(Signal signal) const { return figures[IndexOf(signal)]; }
  // The samples of the node's memory, which say when there is a pass.
  [[nodiscard]] const Track& clock() const { return *Of(Signal::kMemoryAvailable).amount; }
  // Adds a sample of the moment of an eviction to what tells of memory: the least that the agent
  // has seen in this time, or what it would be had it grown on.
  void GrowTo(Instant at);
  [[nodiscard]] NodeStats At(const std::string& node, Instant at) const;
};

// Finds them, and notes what is assumed of the disks. kNotFound: nothing tells the node's memory.
[[nodiscard]] Result<NodeFigures> NodeFiguresIn(NodeTracks& tracks, const ImportOptions& options,
                                                std::vector<std::string>& notes);

// A pod that was on the node, and its figures, each from the first series in the order of
// preference that there are. The tracks outlive it.
struct ImportedPod {
  // A figure of what it has on disk.
  struct DiskPart {
    const Track* track = nullptr;
    std::string container;                                    // which has it
    std::optional<FsUsage> ContainerStats::*where = nullptr;  // null: in volumes
    std::optional<std::uint64_t> FsUsage::*figure = nullptr;
  };

  std::shared_ptr<const PodFacts> facts;  // as far as series tell of it
  // From when to when figures without a UID are this pod's, of those of its name.
  Instant from = Instant::min();
  Instant to = Instant::max();
  std::vector<Track*> memory;   // the sum is the pod's
  const Track* peak = nullptr;  // of memory, since the sample before; null: not known
  std::vector<Track*> tasks;    // the sum is the pod's
  std::vector<DiskPart> disk;

  // Absent: it did not run at that moment.
  [[nodiscard]] std::optional<PodStats> At(Instant at) const;
};

// All pods of a node, by namespace and name, and by time where two have the same. It notes what is
// missing of them.
[[nodiscard]] std::vector<ImportedPod> CensusOf(NodeTracks& tracks, Profile profile,
                                                const ImportOptions& options,
                                                std::vector<std::string>& notes);

}  // namespace jettison
