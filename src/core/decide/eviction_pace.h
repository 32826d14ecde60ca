#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/signal.h"
#include "core/model/threshold.h"
#include "core/observe/observations.h"
#include "core/pods/pod_facts.h"
#include "core/units/duration.h"
#include "core/units/quantity.h"

namespace jettison {

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
template <>
inline constexpr auto kNamesOf<PaceReason> = EnumNames("node-lasts", "victim-too-small",
                                                       "not-theirs", "no-forecast", "asked",
                                                       "cool-down", "hourly-rate", "api-away",
                                                       "no-right");
// Half a sentence.
[[nodiscard]] std::string_view TextOf(PaceReason reason);
// Whether the reason applies only to soft thresholds.
[[nodiscard]] constexpr bool IsOfSoft(PaceReason reason) {
  return reason >= PaceReason::kAsked;
}

// Why no pod is evicted for a soft threshold until `until`.
struct SoftHold {
  PaceReason reason = PaceReason::kAsked;
  Instant until;
  friend bool operator==(const SoftHold&, const SoftHold&) = default;
};

// What is known of earlier evictions and of growth when a pass decides. Amounts are in the unit of
// the signal, growth is in that unit per second.
struct PaceInput {
  Signal signal = Signal::kMemoryAvailable;  // the one acted for, which the amounts are of
  // When the kubelet would decide again after the last evictions; an estimate while pods are
  // ending. Absent: there was no recent eviction.
  std::optional<Instant> kubelet_decides;
  // The agent's next periodic pass; absent: this is one.
  std::optional<Instant> next_by_clock;
  std::int64_t ending = 0;             // held by pods that are ending already
  std::optional<std::int64_t> growth;  // of everything except those pods; absent: not known yet
  std::int64_t growth_of_pods = 0;     // ... of the pods that may be evicted
  std::optional<SoftHold> soft;        // why a soft eviction waits; absent: it does not
  friend bool operator==(const PaceInput&, const PaceInput&) = default;
};

// What a pod holds at a moment.
struct PodAmount {
  std::uint64_t identity = 0;  // PodFacts::identity
  std::int64_t amount = 0;
  bool ending = false;  // otherwise it may be evicted
};

// How long after its end an evicted pod counts as cleaned up, at the earliest, because the kubelet
// polls for it. (kubelet: podCleanupPollFreq)
inline constexpr Duration kCleanupPoll = std::chrono::seconds(1);

// The pace of evictions: predicts from the last evictions when the kubelet would decide again, and
// measures how fast usage grows. The kubelet decides nothing, for any signal, until the pod that it
// has evicted is gone.
//
// Growth is measured from samples a few milliseconds apart. It is what the same pods, and
// everything outside of pods, have taken from one sample to the next: pods that have come or gone
// in between do not count, nor do those that are ending. Page cache that becomes active takes
// nothing either, as fast as it makes memory less available: the usage does not grow with it. Where
// nothing is left nothing can grow: there, what was measured last still counts.
class EvictionPace {
 public:
  // A pod was told to end; `hard`: with the grace period of a hard eviction. A soft eviction does
  // not delay the next decision before it is over.
  void Evicted(bool hard, Instant now);
  // The wait for evicted pods is over: all are gone, or it timed out.
  void CleanedUp(bool all_gone, Instant now);
  // Whether a pod that was evicted within a hard grace period is awaited.
  [[nodiscard]] bool AwaitsHard() const { return awaits_hard_; }
  // What was just observed of all signals.
  void Seen(const Observations& observations, Instant now);
  // Who holds what was seen last of a signal that a pass acts for; `line` is that of its threshold.
  void Held(Signal signal, std::int64_t line, std::vector<PodAmount> pods);

  // When the kubelet would decide again, for whatever signal; absent: there was no recent eviction.
  // While pods are ending it is an estimate, which moves on with `now`, because the kubelet would
  // go on polling.
  [[nodiscard]] std::optional<Instant> KubeletDecides(Instant now) const;
  // What is known of a signal now.
  [[nodiscard]] PaceInput InputFor(Signal signal, std::optional<Instant> next_by_clock,
                                   Instant now) const;
  // The growth of the total usage of a signal, per second; 0 if it is not known.
  [[nodiscard]] std::int64_t GrowthOf(Signal signal) const;

 private:
  struct Sample {
    Observation seen;
    Instant at;
    std::optional<std::vector<PodAmount>> pods;  // by identity; absent: no pass acted for it
  };
  struct Growth {
    std::int64_t all = 0;   // of everything except pods that are ending
    std::int64_t pods = 0;  // of the pods that may be evicted
  };
  struct Known {
    std::vector<Sample> samples;   // the last ones, oldest first
    std::int64_t ending = 0;       // what pods held that were ending, when a pass last acted for it
    std::optional<Growth> growth;  // measured last, while something was left
    std::optional<Instant> exhausted_at;
  };

  [[nodiscard]] static const Sample* Before(const std::vector<Sample>& samples, Duration apart,
                                            bool with_pods);
  [[nodiscard]] static std::optional<Growth> Measured(Signal signal,
                                                      const std::vector<Sample>& samples);

  std::optional<Instant> decides_;
  bool awaits_ = false;
  bool awaits_hard_ = false;
  std::array<Known, kSignalCount> known_;  // of the signals that are foreseen
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

// Whether the end of a pod with this usage frees a relevant part of what is missing.
[[nodiscard]] bool IsWorthwhile(Int128 usage, Int128 missing);

// What is taken in this time at a growth per second.
[[nodiscard]] Int128 TakenIn(std::int64_t growth, Duration time);

// Whether `left` lasts for `time` while `growth` per second is taken from it.
[[nodiscard]] bool Lasts(std::int64_t left, std::int64_t growth, Duration time);

}  // namespace jettison
