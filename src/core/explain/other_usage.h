#pragma once

#include <cstdint>
#include <optional>

#include "core/explanation/explanation.h"
#include "core/model/signal.h"
#include "core/model/threshold.h"
#include "core/observe/observations.h"
#include "core/pods/pod_facts.h"

namespace jettison {

// Changes the stats of a pod as if it used `more` (negative: less, but not below zero) of what the
// ranking for `signal` counts. False if nothing that counts was measured.
bool UseMore(const PodFacts& facts, Signal signal, DiskLayout layout, std::int64_t more,
             PodStats& stats);

// Changes the observations as if `more` had been available of what the signal tells of: the signal
// itself, and every other one that tells of the same memory or the same file system.
void MakeAvailable(Signal signal, DiskLayout layout, std::int64_t more, Observations& seen);

// Bytes of a pod's files on the two file systems that may hold them.
struct FreedBytes {
  std::int64_t node_fs = 0;       // logs and volumes
  std::int64_t container_fs = 0;  // writable layers
};

// Changes the stats of a pod as if it used `less` bytes less of what a storage limit counts.
FreedBytes UseLessStorage(const StorageLimitFacts& limit, std::int64_t less, PodStats& stats);

}  // namespace jettison
