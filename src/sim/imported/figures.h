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
    std::vector<const Track*> capacities;  // the first counts that has a value at a moment
    bool is_used = false;                  // the amount is what is used, and else what is available
    const Track* least = nullptr;          // of what is available, since the sample before
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

// An eviction or an OOM kill that the series tell of.
struct ImportedEvent {
  // As the agent tells, or when the containers of the pod ended, or else the middle of the time in
  // which it must have been.
  Instant at;
  std::size_t pod = 0;                   // among the pods of the census
  bool is_told = false;                  // not the middle
  std::optional<std::string> container;  // the kernel killed it: no eviction
  std::optional<Signal> signal;
  std::optional<StorageLimitKind> limit;  // of its own, in place of the signal
};

// What really happened, by time, as far as the series tell. It notes evictions whose pod or signal
// is not known. `clock` has the samples of the node's memory.
[[nodiscard]] std::vector<ImportedEvent> EventsIn(NodeTracks& tracks, const Track& clock,
                                                  const std::vector<ImportedPod>& pods,
                                                  std::vector<std::string>& notes);

}  // namespace jettison
