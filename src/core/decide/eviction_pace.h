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
#include "core/units/int128.h"

namespace jettison {

// An evicted pod counts as cleaned up no sooner than this after it is gone, as in the kubelet,
// which polls for it. (kubelet: podCleanupPollFreq)
inline constexpr Duration kCleanupPoll = std::chrono::seconds(1);

// Why an eviction that a threshold asks for waits for the pace at which the kubelet would come to
// it.
enum class PaceReason : std::uint8_t {
  kNodeLasts,       // until then there is enough left, at the measured pace
  kVictimTooSmall,  // its end would give back next to nothing of what is missing
  kNotTheirs,       // what is short is held, or taken, by nobody who may be evicted
  kNoForecast,      // how long the rest lasts is not foreseen: soft thresholds, disks, pressure
  // Of soft thresholds alone, beside a kubelet:
  kAsked,       // the API server has been asked whether the pod may go
  kCoolDown,    // another pod went for a soft threshold just now
  kHourlyRate,  // so many went within an hour
  kApiAway,     // the API server cannot be asked
  kNoRight,     // the agent may not ask, or the API server does not know it
};
inline constexpr std::size_t kPaceReasonCount = 9;
// "node-lasts", "victim-too-small", ...
[[nodiscard]] std::string_view NameOf(PaceReason reason);
// The same as half a sentence: "the node lasts until then".
[[nodiscard]] std::string_view TextOf(PaceReason reason);

// Whether it is one of those of soft thresholds alone.
[[nodiscard]] bool IsOfSoft(PaceReason reason);

// Why no pod goes for a soft threshold until then, whichever it is.
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
// the signal, paces in so much a second.
struct PaceInput {
  Signal signal = Signal::kMemoryAvailable;  // that all of this is about
  // When the kubelet would decide again after the last evictions, which while pods are ending is
  // foreseen. Absent: there was none lately, or none that matters for this signal.
  std::optional<Instant> kubelet_decides;
  // The agent's next pass by the clock; absent: this is one.
  std::optional<Instant> next_by_clock;
  std::int64_t ending = 0;             // held by pods that are ending already
  std::optional<std::int64_t> growth;  // of everything but those; absent: not known yet
  std::int64_t growth_of_pods = 0;     // ... of the pods that may go
  std::optional<SoftHold> soft;        // where the threshold is soft; absent: it may go by itself
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
  Instant until;        // looked at anew then at the latest
  std::string pod_uid;  // who would have gone
  friend bool operator==(const EvictionPause&, const EvictionPause&) = default;
};

// Whether it can be foreseen how long the rest of what the signal watches will last: of memory,
// swap and process ids it can, of disks and averages it cannot.
[[nodiscard]] bool IsForeseen(Signal signal);

// How long the answer to a question whether a pod may go is waited for.
inline constexpr Duration kAnswerWithin = std::chrono::seconds(5);

// Whether the eviction of this victim waits; absent: it comes at once. Never says anything of who
// goes. An eviction comes at once where no other came lately, or where the node would not last
// until the kubelet's next decision, pods that may go are the ones that take what is left, and the
// victim holds some of it.
[[nodiscard]] std::optional<EvictionPause> PauseBefore(const PaceQuestion& question,
                                                       const PaceInput& pace);

// Whether PauseBefore says that the eviction comes at once, whatever those pods hold whose figures
// are absent because nobody has read them yet. Where it is false only all figures tell.
[[nodiscard]] bool IsAtOnce(const PaceQuestion& question, const PaceInput& pace);

// Whether the end of a pod that holds so much brings the node nearer to having what is missing.
[[nodiscard]] bool IsWorthwhile(Int128 held, Int128 missing);

// What is taken in `time` at so much a second.
[[nodiscard]] Int128 TakenIn(std::int64_t growth, Duration time);

// Whether `left` lasts for `time` while so much a second is taken from it.
[[nodiscard]] bool Lasts(std::int64_t left, std::int64_t growth, Duration time);

}  // namespace jettison
