#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/decide/local_storage.h"
#include "core/model/signal.h"
#include "core/recording/recording.h"
#include "core/units/duration.h"
#include "sim/imported/pods.h"
#include "sim/imported/tracks.h"

namespace jettison {

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
  std::vector<Instant> restarts;  // of the node, or of what evicts on it
};

// Finds them. It notes what is missing, and evictions whose pod or signal is not known. `clock` has
// the samples of the node's memory.
[[nodiscard]] Truths TruthsOf(NodeTracks& tracks, const Track& clock,
                              const std::vector<ImportedPod>& pods,
                              std::vector<std::string>& notes);

}  // namespace jettison
