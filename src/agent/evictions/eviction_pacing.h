#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "agent/dependencies/dependencies.h"
#include "agent/evictions/node_dependencies.h"
#include "agent/pods/pod_table.h"
#include "agent/state/agent_state.h"
#include "core/decide/eviction_pace.h"
#include "core/evaluate/evaluate.h"
#include "core/model/signal.h"
#include "core/model/summary.h"
#include "core/model/threshold.h"
#include "core/observe/observations.h"
#include "core/pods/pod_facts.h"
#include "core/report/cycle_report.h"
#include "core/units/duration.h"

namespace jettison {

// The next eviction while it waits (decide/eviction_pace), as reported by passes.
class PausedEviction {
 public:
  // Takes the report of a pass. Returns whether it reports another wait than the pass before.
  bool Take(const CycleReport& report, Instant now);
  // Ends the wait if none of the thresholds of its signal is overdue.
  void EndUnless(std::span<const Threshold> thresholds, ThresholdSet overdue);

  [[nodiscard]] const std::optional<EvictionPause>& pause() const { return pause_; }
  // Whether it is one for a disk whose time has not come.
  [[nodiscard]] bool IsForDisk(Instant now) const;
  // Whether it waits for the pace of all evictions, not of soft ones alone.
  [[nodiscard]] bool IsForPace() const { return pause_ && !IsOfSoft(pause_->reason); }
  // Whether a pass with this result would only repeat what has been reported.
  [[nodiscard]] bool IsReported(Signal signal, const EvictionPause& pause, Instant now) const;

 private:
  std::optional<EvictionPause> pause_;
  Signal signal_ = Signal::kMemoryAvailable;
  Instant told_at_;
};

// The inputs of a pass that acts for a threshold and has just read the pods.
struct PacedPass {
  Signal signal = Signal::kMemoryAvailable;
  const Observation& seen;  // of the signal
  std::int64_t line = 0;    // of the threshold
  std::span<const ActivePod> pods;
  DiskLayout layout;
  std::optional<Instant> next_by_clock;  // as in PaceInput
  Instant now;
};

// Prepares what decides whether evictions wait so that they are not faster than the kubelet's
// (decide/eviction_pace), and kills ending pods early if the node would run out.
class EvictionPacing {
 public:
  explicit EvictionPacing(const NodeDependencies& dependencies) : dependencies_(dependencies) {}

  // An eviction was carried out, or would have been in a dry run.
  void Evicted(Resource resource, bool hard, Duration grace, Instant now) {
    pace_.Evicted(resource, hard, grace, now);
  }
  // Pods are ending from now on.
  void PodsEnd(Instant now) { followed_since_ = now; }
  void CleanedUp(bool all_gone, Instant now) { pace_.CleanedUp(all_gone, now); }
  // Continues the wait for evicted pods which an earlier agent began at `began`.
  void Resume(const SavedWait& wait, Instant began, Instant now);

  // Reads the figures of ending pods, if any are `awaited`. Must be called right after the node's
  // own figures are read.
  void ReadEnding(bool awaited);
  // What has just been observed.
  void Seen(const Observations& seen, Instant now) { pace_.Seen(seen, now); }
  // Sets why soft evictions wait in the next pass; absent: they do not wait.
  void SetSoftHold(std::optional<SoftHold> hold) { soft_ = hold; }
  // The input of a pass that acts for this, of which the growth is measured from now on.
  [[nodiscard]] PaceInput InputOf(const PacedPass& pass);
  // The input of a pass that acts for `pass` because another eviction waits, the growth for which
  // continues to be measured. Absent: this eviction waits as well, because there was a recent one
  // for its resource, or because ending pods hold all that is missing.
  [[nodiscard]] std::optional<PaceInput> InputInstead(const PacedPass& pass);
  // The input by which a pass has decided; absent: it acts for no threshold.
  void SetInput(const std::optional<PaceInput>& input) { input_ = input; }
  // A pass is over. Returns whether it reports another wait than the pass before. `awaited`:
  // whether evicted pods are awaited.
  bool PassDone(const CycleReport& report, bool awaited, Instant now);
  // Ends the pause if no threshold of its signal is overdue any more.
  void EndPauseUnless(std::span<const Threshold> thresholds, ThresholdSet overdue) {
    paused_.EndUnless(thresholds, overdue);
  }
  [[nodiscard]] const PausedEviction& paused() const { return paused_; }

  // Since when the node has to be looked at every few milliseconds: pods are ending within a hard
  // grace period (`hard`), or an eviction waits that a look may end. Absent: it has not.
  [[nodiscard]] std::optional<Instant> FollowedSince(bool hard, Instant now) const {
    const bool waits = paused_.IsForPace() && !paused_.IsForDisk(now);
    return hard || waits ? std::optional(followed_since_) : std::nullopt;
  }
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
  // Reads the process ids and containers of ending pods, too.
  void ReadAllOfEnding() { dependencies_.figures.ReadPods(ending_, nullptr, ending_stats_); }
  // The ending pods whose memory is known.
  [[nodiscard]] std::vector<ActivePod> KnownEnding() const;
  // What the pods that may be evicted, and those that are ending, hold of what the pass acts for.
  [[nodiscard]] UsageSample SampleOf(const PacedPass& pass) const;
  void HastenFor(Signal signal, std::int64_t left, DiskLayout layout, Instant now);

  NodeDependencies dependencies_;
  EvictionPace pace_;
  std::optional<PaceInput> input_;
  std::optional<SoftHold> soft_;
  PausedEviction paused_;
  Instant followed_since_;
  // Evicted pods that are not gone yet, with their figures of the last reading, in the same order.
  std::vector<const PodFacts*> ending_;
  std::vector<PodStats> ending_stats_;
  std::vector<EarlyKill> kills_;
};

}  // namespace jettison
