#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "agent/evictions/node_dependencies.h"
#include "agent/passes/node_passes.h"
#include "agent/passes/node_walks.h"
#include "agent/schedule/look_timer.h"
#include "agent/schedule/next_look.h"
#include "agent/schedule/pass_scheduler.h"
#include "agent/schedule/signal_trends.h"
#include "agent/state/agent_state.h"
#include "view/node_counters.h"
#include "view/snapshot.h"

namespace jettison {

// Watches one node: decides when a pass is due, runs it on fresh figures, and follows its eviction
// until the pod is cleaned up. It never waits itself: the caller tells it the time and what has
// happened, and asks when to call again.
//
// Look: the node is read, and evaluated. Where nothing acts and nothing has changed, that is all.
// Otherwise a watch pass follows: all pods are read, one is chosen, and it goes, unless the pace
// says that it has to wait. The sooner something could run short, the sooner the next look comes
// (NextLook); the kernel's notifications only make it sooner.
//
// Full pass: at each interval, disk use is measured, and then the same follows with it, whatever
// has changed; storage limits are checked in it alone. Where a watch pass has to act for a disk,
// conditions are set and what needs no pod to go is reclaimed, and nobody is evicted: a full pass
// is asked for at once, and the walk hurries. Where it is not back within kDiskUsePatience, a full
// pass decides by the last known figures.
//
// After an eviction, the next one waits as long as the kubelet would, unless the node would run out
// before (decide/eviction_pace). Meanwhile it is looked at every few milliseconds, and an
// ending pod is killed early if the node would run out within its grace period (decide/early_kill).
//
// A pass that starts a long reclaim evicts no pod; a full pass follows when the reclaim is over.
// Everything else continues meanwhile: a memory threshold can still act, because memory comes
// before disks.
class Node {
 public:
  Node(NodeSettings settings, const NodeDependencies& dependencies);

  // Which file systems are one and which are several, and the thresholds that hold then
  // (ThresholdsFor); known once the runtime has answered, which may be after the first pass.
  void SetLayout(DiskLayout layout, std::vector<Threshold> thresholds);
  [[nodiscard]] bool KnowsLayout() const { return layout_known_; }
  // Changes the policy at once: the configured thresholds, from which the effective ones follow by
  // the layout, the transition period of conditions and the longest grace period of pods. A
  // threshold that was met stays met if its signal and value are the same.
  void SetEviction(const EvictionPolicy& eviction);
  // A pass now, because somebody knows of a change that the kernel does not report, such as another
  // limit of the node's group. The first pass is Begin's.
  void LookAtOnce();
  // The machine was suspended for so long: what pods have to do within a time, and for how long a
  // threshold has to be met, does not count that. Back-offs and transition periods do.
  void Slept(Duration slept);
  // Continues from the state of an earlier agent. Must be called before Begin. Thresholds that
  // SetEviction or SetLayout adds within 5 min continue from it as well.
  void Resume(const SavedNode& kept) { passes_.Resume(kept, dependencies_.clock.Now()); }
  // The same for the next agent.
  [[nodiscard]] SavedNode Saved() const;
  // Another number whenever Saved may have changed by anything but time.
  [[nodiscard]] std::uint64_t changes() const { return passes_.changes(); }
  // The first look at the node; full passes follow.
  void Begin();
  // The result of the last walk. Figures that it could not measure are older than its start, or
  // missing.
  void DiskMeasured(const DiskUse& disk);
  // The kernel says that memory use crossed a level.
  void MemoryCrossed();
  // The kernel's OOM killer has ended a container of the pod.
  void PodLost(std::string_view pod_uid);
  // The kernel reports stalls or memory shortage, but not how much is left.
  void Stalled();
  // Does what is due by now.
  void Advance();
  [[nodiscard]] std::optional<Instant> NextDeadline() const;
  // Passes finished since the start.
  [[nodiscard]] std::uint64_t passes() const { return passes_.record().count; }
  // What the last pass has seen; null before the first one.
  [[nodiscard]] const Observations* seen() const {
    return passes_.record().last == nullptr ? nullptr : &passes_.record().last->observations;
  }
  [[nodiscard]] const EvictionState& state() const { return passes_.standing().state; }
  [[nodiscard]] const PassCounters& counters() const { return counters_; }
  // How the node stands, for onlookers; NodeIdentity is the caller's to add.
  [[nodiscard]] Snapshot MakeSnapshot() const;

 private:
  void TakePolicy(PassPolicy policy);
  // Reads the node and makes a pass of it where there is something to do.
  void Look();
  [[nodiscard]] bool HasNews(const ReadingPlan& plan, Instant now);
  void PlanLook(const Observations& seen, Instant now);
  // A look that makes a pass for what the last one has acted for, too.
  void AskForPass(Instant at);
  // Both on figures that have just been read.
  void FullPass(const ReadingPlan& plan, const DiskUse& disk, DiskAge age);
  void WatchPass(const ReadingPlan& plan);
  // Runs a pass that does what can be done for a disk before pods' files have been measured.
  void PassWithoutDiskUse(const ReadingPlan& plan, const PassCause& cause);
  void AfterPass(const CycleReport& report, const PassCause& cause, Instant now);
  void CollectGarbage(Instant now);

  void Rearm(Instant now);

  void StartWalk();
  void WatchOverWalk();
  // For a watch pass; absent: this is one by the clock. Plans the next one.
  [[nodiscard]] std::optional<Instant> NextByClock(Instant now);
  // The same for the full pass that has begun.
  [[nodiscard]] std::optional<Instant> NextScheduled(Instant now);

  void CheckCleanup(Instant now);
  void CheckReclaim(Instant now);
  // Takes the answers to soft evictions, after which the next pass follows at once.
  void TakeAnswers(Instant now);
  // Requests a full pass at once, or an evaluation without disk use if a walk is under way that may
  // take long.
  void LookAgain(Instant now);

  NodeSettings settings_;  // its policy is the first one
  bool layout_known_;
  NodeDependencies dependencies_;
  PassCounters counters_;
  NodePasses passes_;
  PassScheduler scheduler_;
  NodeWalks walks_;
  LookTimer looks_;
  NodeLook last_look_;
  std::optional<Instant> pass_asked_for_;
  std::optional<Instant> grace_end_;  // of a soft threshold, the next one
  SignalTrends trends_;
  ThresholdSet acted_;              // by the last pass, and ever since
  std::vector<MemoryLevel> armed_;  // of which the kernel was last asked to notify
  Instant armed_at_;
  std::optional<Instant> woken_at_;  // for the pass that is to come of it
  Instant next_gc_;
  bool gc_began_ = false;              // since it is known which pods are wanted
  bool reclaim_awaited_ = false;       // no pod was evicted because a reclaim was under way
  bool reclaim_is_scheduled_ = false;  // a scheduled pass has asked for it
};

}  // namespace jettison
