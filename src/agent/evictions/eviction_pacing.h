#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "agent/evictions/early_kills.h"
#include "agent/evictions/ending_pods.h"
#include "agent/evictions/held_sums.h"
#include "agent/evictions/node_edges.h"
#include "agent/evictions/pace_keeper.h"
#include "agent/evictions/pace_looks.h"
#include "agent/evictions/paused_eviction.h"
#include "agent/kept/kept_state.h"
#include "core/decide/eviction_pace.h"
#include "core/model/signal.h"
#include "core/observe/observations.h"
#include "core/pods/pod_facts.h"
#include "core/report/cycle_report.h"
#include "core/units/duration.h"

namespace jettison {

// A pass that would act for a threshold and has just read the pods.
struct PacedPass {
  Signal signal = Signal::kMemoryAvailable;
  const Observation& seen;  // of the signal
  std::int64_t line = 0;    // of the threshold
  std::span<const ActivePod> pods;
  DiskLayout layout;
  std::optional<Instant> next_by_clock;  // as in PaceInput
  Instant now;
};

// Keeps the evictions of a node to the kubelet's pace (decide/eviction_pace), and hastens those
// under way where they would come too late (decide/early_kill).
class EvictionPacing {
 public:
  explicit EvictionPacing(const NodeEdges& edges);

  // An eviction was carried out, or would have been in a dry run.
  void Evicted(Resource resource, bool hard, Duration grace, Instant now);
  // Pods are ending from now on.
  void PodsEnd(Instant now) { looks_.Begin(now); }
  void CleanedUp(bool all_gone, Instant now) { keeper_.CleanedUp(all_gone, now); }
  // Pods whose end an agent before awaited, and `began` to, are awaited still.
  void Resume(const KeptWait& wait, Instant began, Instant now);

  // Reads what pods hold that are ending, where any are `awaited`; right after the node's own
  // figures.
  void ReadEnding(bool awaited);
  // What has just been observed.
  void Seen(const Observations& seen, Instant now) { keeper_.Seen(seen, now); }
  // What holds soft evictions up in the pass that is to come; absent: nothing does.
  void SetSoftHold(std::optional<SoftHold> hold) { soft_ = hold; }
  // For the pass that is to come; absent: it acts for nothing.
  void Prepare(const std::optional<PacedPass>& pass);
  // Whether an eviction for the signal now depends on what all pods hold together, because there
  // was another one lately, or pods are ending. Where it does not, a pass that knows some of the
  // pods alone may do with PrepareForFirst, and then TakeSums when it knows all.
  [[nodiscard]] bool NeedsSums(Signal signal, Instant now) const;
  void PrepareForFirst(Signal signal, std::optional<Instant> next_by_clock);
  void TakeSums(const PacedPass& pass);
  // What that pass decides by.
  [[nodiscard]] const std::optional<PaceInput>& input() const { return input_; }
  // A pass is over; whether it tells of another wait than the one before. `awaited`: pods are.
  bool PassDone(const CycleReport& report, bool awaited, Instant now);
  // The next eviction need not wait any longer where no threshold of its signal is overdue.
  void EndPauseUnless(std::span<const Threshold> thresholds, ThresholdSet overdue) {
    paused_.EndUnless(thresholds, overdue);
  }
  [[nodiscard]] const PausedEviction& paused() const { return paused_; }

  // Plans the next look at what is left; `hard`: pods end within the time of a hard eviction.
  void PlanLook(bool hard, Instant now) { looks_.Plan(hard || paused_.IsForPace(), now); }
  [[nodiscard]] std::optional<Instant> look_due() const { return looks_.due(); }
  [[nodiscard]] bool LookCountsPids(Instant now) { return looks_.CountsPids(now); }
  // Kills pods that are ending already where their time is not left; how many.
  std::size_t Hasten(const Observations& seen, DiskLayout layout, Instant now);
  [[nodiscard]] std::vector<EarlyKill> TakeEarlyKills() { return early_kills_.Take(); }

  // Working sets of the pods that are ending, as last read.
  [[nodiscard]] std::int64_t HeldByEnding() const { return ending_.WorkingSets(); }
  // What a pass now would decide by; absent: none has acted for anything.
  [[nodiscard]] std::optional<PaceInput> InputNow(std::optional<Instant> next_by_clock,
                                                  Instant now) const;

 private:
  [[nodiscard]] PaceInput InputFor(Signal signal, std::optional<Instant> next_by_clock,
                                   Instant now) const;

  const PodTable& pods_;
  Figures& figures_;
  PaceKeeper keeper_;
  std::optional<PaceInput> input_;
  std::optional<SoftHold> soft_;
  PausedEviction paused_;
  PaceLooks looks_;
  EndingPods ending_;
  HeldSums held_;
  EarlyKills early_kills_;
};

}  // namespace jettison
