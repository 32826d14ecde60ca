#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/decide/local_storage.h"
#include "core/model/profile.h"
#include "core/model/signal.h"
#include "core/model/summary.h"
#include "core/pods/pod_facts.h"
#include "core/recording/recording.h"
#include "core/units/duration.h"
#include "sim/imported/tracks.h"

namespace jettison {

// What the user says of pods that no series tells.
struct PodAssumptions {
  // Absent: `standalone` where an agent tells of pods of its own, else `kubelet`.
  std::optional<Profile> profile;
  std::map<std::string, std::int32_t, std::less<>> priority_classes;  // beside those of the system
};

// The profile that holds, by what is told and by the series.
[[nodiscard]] Profile ProfileOf(NodeTracks& tracks, const PodAssumptions& assumptions);

// A pod that was on the node, and its figures, each from the first series in the order of
// preference that there are. The tracks outlive it.
struct ImportedPod {
  // A figure of what it has on disk.
  struct DiskPart {
    std::string kind;       // "rootfs", "logs", "volumes"
    std::string container;  // empty: of the whole pod
    const Track* track = nullptr;
    bool is_inodes = false;  // else bytes
  };

  std::shared_ptr<const PodFacts> facts;  // as far as series tell of it
  // From when to when figures without a UID are this pod's, of those of its name.
  Instant from = Instant::min();
  Instant to = Instant::max();
  const Track* running = nullptr;  // kube_pod_status_phase; null: not known
  std::vector<Track*> memory;      // the sum is the pod's
  const Track* peak = nullptr;     // of memory, since the sample before; null: not known
  std::vector<Track*> tasks;       // the sum is the pod's
  std::vector<DiskPart> disk;

  // The pod was evicted then: it is away until samples of it begin anew. `interval`: of scrapes.
  void Evicted(Instant at, Duration interval);
  // Absent: it did not run at that moment.
  [[nodiscard]] std::optional<PodStats> At(Instant at) const;
};

// All pods of a node, by namespace and name, and by time where two have the same. It notes what is
// missing of them.
[[nodiscard]] std::vector<ImportedPod> CensusOf(NodeTracks& tracks,
                                                const PodAssumptions& assumptions,
                                                std::vector<std::string>& notes);

// An eviction that the series tell of.
struct ImportedEviction {
  std::size_t pod = 0;  // among the pods of the census
  // As the agent tells, or when the containers of the pod ended, or else the middle of the time in
  // which it must have been.
  Instant at;
  bool is_told = false;  // not the middle
  std::optional<Signal> signal;
  std::optional<StorageLimitKind> limit;  // of its own, in place of the signal
};

// What really happened, as far as the series tell.
struct Truths {
  std::vector<ImportedEviction> evictions;
  std::vector<RecordedOomKill> oom_kills;
};

// Finds them. It notes what is missing, and evictions whose pod or signal is not known. `clock` has
// the samples of the node's memory.
[[nodiscard]] Truths TruthsOf(NodeTracks& tracks, const Track& clock,
                              const std::vector<ImportedPod>& pods,
                              std::vector<std::string>& notes);

}  // namespace jettison
