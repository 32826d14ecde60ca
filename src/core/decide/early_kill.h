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
  std::int64_t growth = 0;  // of all that takes it, the ending pod included, a second
  Instant now;
  Instant kill_at;                   // the end of its grace period
  std::optional<std::int64_t> held;  // by the ending pod; absent: not known
  std::int64_t growth_of_pod = 0;    // of the ending pod alone, a second
};

// Whether what is left would last for the rest of the grace period.
[[nodiscard]] bool LastsItsGrace(const EndingQuestion& question);

// Whether the rest of the grace period has to be given up: what is left would not last for it, and
// only just until a SIGKILL has had its effect, and the pod holds some of what would be missing.
// Never later than the grace period.
[[nodiscard]] bool MustKillNow(const EndingQuestion& question);

// A pod that was killed before its grace period was over.
struct EarlyKill {
  std::string pod_uid;
  Signal signal = Signal::kMemoryAvailable;  // of what would not have lasted
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
