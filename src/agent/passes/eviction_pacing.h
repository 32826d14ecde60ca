#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "agent/dependencies/dependencies.h"
#include "agent/passes/node_dependencies.h"
#include "agent/pods/pod_table.h"
#include "agent/state/agent_state.h"
#include "core/decide/early_kill.h"
#include "core/decide/eviction_pace.h"
#include "core/evaluate/evaluate.h"
#include "core/model/signal.h"
#include "core/model/summary.h"
#include "core/model/threshold.h"
#include "core/observe/observations.h"
#include "core/pass/pass.h"
#include "core/pods/pod_facts.h"
#include "core/units/duration.h"

namespace jettison {

// How long the agent waits until evicted pods are gone before it decides again. (kubelet:
// podCleanupTimeout)
inline constexpr Duration kCleanupTimeout = std::chrono::seconds(30);

// A pass that acts for a threshold and has just read the pods.
struct PacedPass {
  const Threshold& threshold;
  const ReadingPlan& plan;
  std::span<const ActivePod> pods;
  DiskLayout layout;
  std::optional<Instant> next_by_clock;  // as in PaceInput
  std::optional<SoftHold> soft;          // the same
};

// The wait for evicted pods, and the pace of evictions. After an eviction, no other one is decided
// until the pods are gone or the wait times out, because the figures still include what is being
// freed. Only hard thresholds may act meanwhile. Unless the node would run out, their evictions are
// not faster than the kubelet's (decide/eviction_pace, whose inputs are prepared here); where it
// would, ending pods are killed early, too.
class EvictionPacing {
 public:
  explicit EvictionPacing(const NodeDependencies& dependencies) : dependencies_(dependencies) {}

  // An eviction was carried out: `pods` were told to end; `hard` with the grace period of a hard
  // eviction. None in a dry run, which keeps the pace that it would have had.
  void Evicted(const std::vector<std::string>& pods, bool hard, Instant now);
  // Whether evicted pods are awaited.
  [[nodiscard]] bool awaits() const { return !wait_.pods.empty(); }
  // Looks which of them are gone. Returns once how the wait has ended: whether all are.
  [[nodiscard]] std::optional<bool> CheckCleanup(Instant now);
  // The thresholds for which a pass may act now.
  [[nodiscard]] ThresholdSet Allowed(std::span<const Threshold> thresholds) const;
  [[nodiscard]] std::optional<Instant> NextDeadline() const {
    return awaits() ? std::optional(wait_.deadline) : std::nullopt;
  }
  // The wait for the next agent; absent where there is none.
  [[nodiscard]] std::optional<SavedWait> Saved() const {
    return awaits() ? std::optional(wait_) : std::nullopt;
  }
  // Goes on with the wait of an agent before.
  void Resume(const SavedWait& saved, Instant now);
  // The machine was suspended, and with it what is waited for.
  void PutOff(Duration slept) { wait_.deadline += slept; }

  // Reads the figures of ending pods. Must be called right after the node's own figures are read.
  void ReadEnding();
  // What has just been observed.
  void Seen(const Observations& seen, Instant now) { pace_.Seen(seen, now); }
  // What decides whether the eviction waits. The growth for the threshold is measured from now on.
  [[nodiscard]] PaceInput InputOf(const PacedPass& pass);
  // The input by which a pass has decided; absent: it acts for no threshold.
  void SetInput(const std::optional<PaceInput>& input) { input_ = input; }
  // A pass is over. Returns whether it reports another pause than the pass before.
  bool PassDone(const CycleReport& report, Instant now);

  // The next eviction, while it waits, as reported by passes.
  [[nodiscard]] const std::optional<EvictionPause>& pause() const { return pause_; }
  // Ends the pause if none of the thresholds of its signal is overdue any more.
  void EndPauseUnless(std::span<const Threshold> thresholds, ThresholdSet overdue);
  // Whether the next eviction for a disk waits for its time; what holds a soft one up does not
  // concern a hard one.
  [[nodiscard]] bool PausesDisk(bool hard, Instant now) const;
  // Whether a pass with this result would only repeat what has been reported.
  [[nodiscard]] bool IsReported(Signal signal, const EvictionPause& pause, Instant now) const;

  // Since when the node has to be looked at every few milliseconds: pods are ending within a hard
  // grace period, or an eviction waits that a look may end. Absent: it has not.
  [[nodiscard]] std::optional<Instant> FollowedSince(Instant now) const;
  // Kills ending pods that must be killed early. Returns how many.
  std::size_t Hasten(const Observations& seen, DiskLayout layout, Instant now);
  // Those since the last call.
  [[nodiscard]] std::vector<EarlyKill> TakeEarlyKills() { return std::exchange(kills_, {}); }

  // Working sets of the pods that are ending, as last read.
  [[nodiscard]] std::int64_t HeldByEnding() const;
  // The input that a pass would have now; absent: no pass has acted for a threshold yet.
  [[nodiscard]] std::optional<PaceInput> InputNow(std::optional<Instant> next_by_clock,
                                                  Instant now) const;

 private:
  [[nodiscard]] PaceInput InputFor(Signal signal, std::optional<Instant> next_by_clock,
                                   Instant now) const;
  // Whether it is one for a disk whose time has not come.
  [[nodiscard]] bool PauseIsForDisk(Instant now) const;
  // Whether it waits for the pace of all evictions, not of soft ones alone.
  [[nodiscard]] bool PauseIsForPace() const { return pause_ && !IsOfSoft(pause_->reason); }
  // What an ending pod holds, as last read; absent: it is not known.
  [[nodiscard]] std::optional<std::int64_t> UsageOfEnding(const PodFacts* facts, Signal signal,
                                                          DiskLayout layout) const;
  // What the pods that may be evicted, and those that are ending, hold of what the pass acts for.
  [[nodiscard]] std::vector<PodAmount> HoldersOf(const PacedPass& pass) const;
  void HastenFor(Signal signal, std::int64_t left, DiskLayout layout, Instant now);

  NodeDependencies dependencies_;
  SavedWait wait_;
  EvictionPace pace_;
  std::optional<PaceInput> input_;
  std::optional<EvictionPause> pause_;
  Signal paused_for_ = Signal::kMemoryAvailable;
  Instant pause_reported_at_;
  Instant followed_since_;
  // Evicted pods that are not gone yet, with their figures of the last reading, in the same order.
  std::vector<const PodFacts*> ending_;
  std::vector<PodStats> ending_stats_;
  std::vector<EarlyKill> kills_;
};

}  // namespace jettison
