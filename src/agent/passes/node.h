#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "agent/evictions/node_edges.h"
#include "agent/kept/kept_state.h"
#include "agent/looks/armed_levels.h"
#include "agent/looks/disk_demand.h"
#include "agent/looks/level_wakeups.h"
#include "agent/looks/memory_looks.h"
#include "agent/looks/pass_scheduler.h"
#include "agent/looks/pod_walk.h"
#include "agent/looks/walk_evaluations.h"
#include "agent/looks/warm_pods.h"
#include "agent/looks/watch_schedule.h"
#include "agent/passes/node_passes.h"
#include "view/node_counters.h"
#include "view/snapshot.h"

namespace jettison {

// Guards one node: decides when to pass, runs the pass on figures of that moment, carries its
// eviction through to the clean-up. Everything but waiting: it is told of the time and of what
// happened, and says when it wants to be woken.
//
// Full pass: disk use is measured first, everything else right after it, then all of it decides.
// Watch pass: after a wake-up, and at each interval while an eviction is awaited or a walk through
// pods' files is under way. Disk use is not measured, so it is unknown and no storage limit is
// checked. Where a disk signal has to be acted for, conditions are set and what needs no pod to go
// is reclaimed, and nobody is evicted: a full pass is asked for at once, and the walk hurries.
// Where it is not back within kDiskUsePatience, a full pass decides by the last known figures.
//
// Look: between passes memory alone is read, and swap and pressure where thresholds are about them,
// the more often the sooner they could run short. Where that finds a threshold newly crossed, or
// one to act for, a watch pass follows.
//
// After an eviction the next one keeps to the kubelet's pace unless the node would not last until
// then (decide/eviction_pace); meanwhile memory is looked at every few milliseconds, and a pod that
// is ending is killed where the rest would not last for its grace period (decide/early_kill).
//
// A reclaim that takes its time is started by a pass that then evicts nobody; when it is over a
// full pass follows at once. Until then everything else goes on: memory comes before disks, so a
// memory threshold acts meanwhile.
class Node {
 public:
  Node(NodeSettings settings, const NodeEdges& edges);

  // Which file systems are one and which are several, and the thresholds that hold then
  // (ThresholdsFor); known once the runtime has answered, which may be after the first pass.
  void SetLayout(DiskLayout layout, std::vector<Threshold> thresholds);
  // Other terms from now on, at once: thresholds as configured, which the layout turns into those
  // that hold, the transition period of conditions and the longest grace period of pods. What was
  // met stays met where the line is the same.
  void SetEviction(const EvictionPolicy& eviction);
  // The machine was suspended for so long: what pods have to do within a time, and for how long a
  // threshold has to be met, does not count that. Back-offs and transition periods do.
  void Slept(Duration slept);
  // Goes on where an agent before was. After SetLayout, before Begin.
  void Resume(const KeptNode& kept) { passes_.Resume(kept, edges_.clock.Now()); }
  // The same for the next agent.
  [[nodiscard]] KeptNode Kept() const;
  // Another number whenever Kept may have changed by anything but time.
  [[nodiscard]] std::uint64_t changes() const { return passes_.changes(); }
  // The first look at the node; full passes follow.
  void Begin();
  // What the walk that was last started has measured. What it could not measure is older than its
  // start, or missing.
  void DiskMeasured(const DiskUse& disk);
  // The kernel says that memory use crossed a level, or levels have just been registered.
  void MemoryCrossed();
  // The kernel says that tasks wait, or that memory has become tight, but not how much is left.
  void Stalled();
  // Whether the kernel tells of all stalls that thresholds are about; at first it does not.
  void SetStallsAreTold(bool told) { looks_.SetStallsAreTold(told); }
  // Whether the kernel now tells of every level that was asked for; at first it does not.
  void SetKernelTells(bool tells) { looks_.SetLevelsAreTold(tells); }
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
  // The node's figures now, and what a pass over them goes on from.
  [[nodiscard]] ReadingPlan ReadNode();
  // Both on figures that have just been read.
  void FullPass(const ReadingPlan& plan, const DiskUse& disk);
  void WatchPass(const ReadingPlan& plan);
  // A watch pass that a look has brought about, which has left out these figures.
  void WatchPassAfterLook(NodeReading left_out);
  // What can be done for a disk before pods' files have been measured.
  void PassWithoutDiskUse(const ReadingPlan& plan, const PassCause& cause);
  void AwaitDiskUse(Instant now, bool hard);
  // Whether the next eviction for a disk waits for its time; what holds a soft one up does not
  // concern a hard one.
  [[nodiscard]] bool DiskIsPaused(Instant now, bool hard = false) const;
  void AfterPass(const CycleReport& report, Instant now);
  void StayNear(Instant now);
  void ReadAhead(Instant now);
  void CollectGarbage(Instant now);

  void LookAtMemory();
  void PlanLook(const Observations& seen, Instant now);
  void LookAtPace();
  void PlanPaceLook(Instant now);
  void Rearm(Instant now);

  void StartWalk();
  [[nodiscard]] bool MustWalkAgain(const ReadingPlan& plan, const DiskUse& disk);
  [[nodiscard]] bool MustReadAgain(const ReadingPlan& plan);
  [[nodiscard]] bool ActsForDisk(const ReadingPlan& plan) const;
  void WatchOverWalk();
  // For a watch pass; absent: this is one by the clock. Plans the next one.
  [[nodiscard]] std::optional<Instant> NextByClock(Instant now);
  [[nodiscard]] std::optional<Instant> NextDuringWalk() const;

  void CheckCleanup(Instant now);
  void CheckReclaim(Instant now);
  // What has been answered to soft evictions: the next pass goes on from there, at once.
  void TakeAnswers(Instant now);
  // At once: a full pass, or, where a walk is under way and may take its time, what can be said
  // without it.
  void LookAgain(Instant now);

  NodeSettings settings_;  // its policy is the first one
  NodeEdges edges_;
  PassCounters counters_;
  NodePasses passes_;
  PassScheduler scheduler_;
  WatchSchedule watches_;
  WalkEvaluations evaluations_;
  PodWalk walk_;
  DiskDemand disk_demand_;
  MemoryLooks looks_;
  LevelWakeups wakeups_;
  ArmedLevels armed_;
  WarmPods warm_;
  std::optional<Instant> woken_at_;  // for the pass that is to come of it
  Instant next_gc_;
  bool gc_began_ = false;  // since it is known which pods are wanted
  bool reclaim_awaited_ = false;  // nobody was evicted because a reclaim was under way
};

}  // namespace jettison
