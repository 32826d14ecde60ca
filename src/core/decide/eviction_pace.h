#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/model/signal.h"
#include "core/model/threshold.h"
#include "core/observe/observations.h"
#include "core/pods/pod_facts.h"
#include "core/units/duration.h"
#include "core/units/quantity.h"

namespace jettison {

// How long after its end an evicted pod counts as cleaned up, at the earliest, because the kubelet
// polls for it. (kubelet: podCleanupPollFreq)
inline constexpr Duration kCleanupPoll = std::chrono::seconds(1);

// Why an eviction waits although a threshold acts. Evictions are not made faster than the kubelet
// would make them, unless the node would run out before.
enum class PaceReason : std::uint8_t {
  kNodeLasts,       // enough is left until then, at the measured growth
  kVictimTooSmall,  // its end would free next to nothing of what is missing
  kNotTheirs,       // no evictable pod holds, or takes, what is short
  kNoForecast,      // not predictable: soft thresholds, disks, pressure
  // Of soft thresholds alone, beside a kubelet:
  kAsked,       // the API server has been asked to evict the pod
  kCoolDown,    // another pod has just been evicted for a soft threshold
  kHourlyRate,  // the limit of soft evictions per hour is reached
  kApiAway,     // the API server cannot be asked
  kNoRight,     // the agent has no right to ask, or the API server has no such call
};
inline constexpr std::size_t kPaceReasonCount = 9;
// "node-lasts", "victim-too-small", ...
[[nodiscard]] std::string_view NameOf(PaceReason reason);
// The same as half a sentence: "the node lasts until then".
[[nodiscard]] std::string_view TextOf(PaceReason reason);

// Whether the reason applies only to soft thresholds.
[[nodiscard]] bool IsOfSoft(PaceReason reason);

// Why no pod is evicted for a soft threshold until `until`.
struct SoftHold {
  PaceReason reason = PaceReason::kAsked;
  Instant until;
  friend bool operator==(const SoftHold&, const SoftHold&) = default;
};

// How fast one pod takes what a signal watches.
struct PodGrowth {
  std::string pod_uid;
  std::int64_t growth = 0;  // in the unit of the signal, a second
  friend bool operator==(const PodGrowth&, const PodGrowth&) = default;
};

// What is known of earlier evictions and of growth when a pass decides. Amounts are in the unit of
// the signal, growth is in that unit per second.
struct PaceInput {
  Signal signal = Signal::kMemoryAvailable;  // the one acted for, which the amounts are of
  // When the kubelet would decide again after the last evictions; an estimate while pods are
  // ending. Absent: there was no recent eviction that matters for this signal.
  std::optional<Instant> kubelet_decides;
  // The agent's next periodic pass; absent: this is one.
  std::optional<Instant> next_by_clock;
  std::int64_t ending = 0;             // held by pods that are ending already
  std::optional<std::int64_t> growth;  // of everything except those pods; absent: not known yet
  std::int64_t growth_of_pods = 0;     // ... of the pods that may be evicted
  std::optional<SoftHold> soft;        // why a soft eviction waits; absent: it does not
  // The pod that grows fastest of those that may be evicted; absent: none grows, or not known yet.
  std::optional<PodGrowth> fastest;

  friend bool operator==(const PaceInput&, const PaceInput&) = default;
};

// What is about to be done for a threshold.
struct PaceQuestion {
  const Threshold& threshold;
  Observation seen;  // of its signal
  std::span<const ActivePod> pods;
  std::size_t victim = 0;  // among `pods`
  DiskLayout layout;
  Instant now;
};

// An eviction that waits.
struct EvictionPause {
  PaceReason reason = PaceReason::kNodeLasts;
  Instant until;        // it is decided again then at the latest
  std::string pod_uid;  // the pod that would have been evicted
  friend bool operator==(const EvictionPause&, const EvictionPause&) = default;
};

// How long the agent waits for the API server's answer to a soft eviction.
inline constexpr Duration kAnswerWithin = std::chrono::seconds(5);

// Whether the eviction of this victim waits; absent: it is made at once. The choice of the victim
// is not changed. After a recent eviction, another one is made at once only if the node would run
// out before the kubelet's next decision, evictable pods take what is left, and the victim holds
// some of it. Without a recent eviction it is made at once, except that a victim whose end would
// not help waits for the next periodic pass. A small victim helps if the pods together are about to
// take all that is left and it is no smaller than the others. A soft eviction also waits for
// PaceInput::soft.
[[nodiscard]] std::optional<EvictionPause> PauseBefore(const PaceQuestion& question,
                                                       const PaceInput& pace);

// Whether the end of a pod that holds `held` frees a relevant part of what is missing.
[[nodiscard]] bool IsWorthwhile(Int128 held, Int128 missing);

// The amount that is taken in `time` at `growth` per second.
[[nodiscard]] Int128 TakenIn(std::int64_t growth, Duration time);

// Whether `left` lasts for `time` while `growth` per second is taken from it.
[[nodiscard]] bool Lasts(std::int64_t left, std::int64_t growth, Duration time);

}  // namespace jettison
