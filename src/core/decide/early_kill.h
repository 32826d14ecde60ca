#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/model/signal.h"
#include "core/units/duration.h"

namespace jettison {

// What is known while a pod that was evicted within a hard grace period is ending.
struct EndingQuestion {
  std::int64_t left = 0;    // of what is short, in the unit of its signal
  std::int64_t growth = 0;  // per second, of all consumers, the ending pod included
  Instant now;
  Instant kill_at;                    // the end of its grace period
  std::optional<std::int64_t> usage;  // of the ending pod; absent: not known
};

// Whether the pod must be killed now: the amount left will neither last until the end of the grace
// period nor as long as a SIGKILL takes to have its effect, and the pod holds a relevant part of
// what will be missing, or it is not known what it holds. Always true from the end of the grace
// period on.
[[nodiscard]] bool MustKillNow(const EndingQuestion& question);

// A pod that was killed before its grace period was over.
struct EarlyKill {
  std::string pod_uid;
  Signal signal = Signal::kMemoryAvailable;  // which would have run out
  Instant at;
  Duration after{0};        // the eviction
  Duration grace{0};        // that it had
  std::int64_t left = 0;    // of the signal, then
  std::int64_t growth = 0;  // a second, then
};
// "killed after 120ms of its grace period of 1s: 48Mi of memory.available were left, and 480Mi a
// second were taken".
[[nodiscard]] std::string TextOf(const EarlyKill& kill);

}  // namespace jettison
