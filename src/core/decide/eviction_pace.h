#pragma once

#include <array>
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

// Predicts from the last evictions when the kubelet would decide again. The kubelet decides
// nothing, for any signal, until the pod that it has evicted is gone.
class KubeletRound {
 public:
  // A pod was told to end for `resource`; `hard`: with the grace period of a hard eviction,
  // `grace`. A soft eviction does not delay the next decision.
  void Evicted(Resource resource, bool hard, Duration grace, Instant now);
  // The wait for evicted pods is over: all are gone, or it timed out.
  void CleanedUp(bool all_gone, Instant now);

  // When the kubelet would decide again; absent: there was no recent eviction. While pods are
  // ending it is an estimate, which moves on with `now`, because the kubelet would go on polling.
  [[nodiscard]] std::optional<Instant> Next(Instant now) const;
  // As Next, but absent also if the last evictions were for other resources than the signal's. For
  // disks and pressure every eviction counts, because it is not known what the ending pods hold of
  // a disk or add to pressure. If the ending pods hold all of the memory or process IDs that are
  // missing, call Next instead.
  [[nodiscard]] std::optional<Instant> NextFor(Signal signal, Instant now) const;

 private:
  std::optional<Instant> decides_;
  bool awaited_ = false;
  bool awaits_hard_ = false;  // one of those that are awaited
  std::array<bool, kAllResources.size()> evicted_for_{};
};

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
struct PaceReasonRow {
  std::string_view name;
  std::string_view text;  // half a sentence
};
inline constexpr auto kPaceReasonRows = std::to_array<PaceReasonRow>({
    {"node-lasts", "what is left lasts until then at the measured pace"},
    {"victim-too-small", "ending the pod would free almost nothing"},
    {"not-theirs", "no pod that may be evicted holds or takes what is short"},
    {"no-forecast", "how long what is left lasts cannot be foreseen"},
    {"asked", "the API server has been asked whether the pod may be evicted"},
    {"cool-down", "another pod was evicted for a soft threshold a moment ago"},
    {"hourly-rate", "the limit of evictions per hour for soft thresholds is reached"},
    {"api-away", "the API server cannot be asked whether the pod may be evicted"},
    {"no-right", "the agent has no right to ask the API server whether the pod may be evicted"},
});
inline constexpr std::size_t kPaceReasonCount = kPaceReasonRows.size();
[[nodiscard]] constexpr std::string_view NameOf(PaceReason reason) {
  return kPaceReasonRows[static_cast<std::size_t>(reason)].name;
}
[[nodiscard]] constexpr std::string_view TextOf(PaceReason reason) {
  return kPaceReasonRows[static_cast<std::size_t>(reason)].text;
}
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
  // ending. Absent: there was no recent eviction that matters for this signal.
  std::optional<Instant> kubelet_decides;
  // The agent's next periodic pass; absent: this is one.
  std::optional<Instant> next_by_clock;
  std::int64_t ending = 0;             // held by pods that are ending already
  std::optional<std::int64_t> growth;  // of everything except those pods; absent: not known yet
  std::int64_t growth_of_pods = 0;     // ... of the pods that may be evicted
  std::optional<SoftHold> soft;        // why a soft eviction waits; absent: it does not
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

// Whether the end of a pod with this usage frees a relevant part of what is missing.
[[nodiscard]] bool IsWorthwhile(Int128 usage, Int128 missing);

// The amount that is taken in `time` at `growth` per second.
[[nodiscard]] Int128 TakenIn(std::int64_t growth, Duration time);

// Whether `left` lasts for `time` while `growth` per second is taken from it.
[[nodiscard]] bool Lasts(std::int64_t left, std::int64_t growth, Duration time);

// What is known while a pod that was evicted within a hard grace period is ending.
struct EndingQuestion {
  std::int64_t left = 0;    // of what is short, in the unit of its signal
  std::int64_t growth = 0;  // per second, of all consumers, the ending pod included
  Instant now;
  Instant kill_at;                    // the end of its grace period
  std::optional<std::int64_t> usage;  // of the ending pod; absent: not known
};

// Whether the pod need not be killed yet: the amount left will last until the end of the grace
// period, or at least as long as a SIGKILL takes to have its effect.
[[nodiscard]] bool LastsItsGrace(const EndingQuestion& question);

// Whether the pod must be killed now: LastsItsGrace is false, and the pod holds a relevant part of
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
