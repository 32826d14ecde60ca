#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "agent/dependencies/dependencies.h"
#include "agent/passes/node_dependencies.h"
#include "agent/passes/node_state.h"
#include "agent/passes/node_walks.h"
#include "agent/passes/pass_reporter.h"
#include "agent/schedule/next_look.h"
#include "agent/schedule/signal_trends.h"
#include "agent/state/agent_state.h"
#include "view/node_counters.h"
#include "view/snapshot.h"

namespace jettison {

// Watches one node: decides when it is looked at, evicts on fresh figures, and follows an eviction
// until the pod is cleaned up. It never waits itself: the caller tells it the time and what has
// happened, and asks when to call again.
//
// There is one kind of pass: the node is read and evaluated; where nothing acts and nothing has
// changed, that is all. Otherwise all pods are read, one is chosen, and it is evicted, unless the
// pace says that it has to wait. The sooner something could run short, the sooner the node is
// looked at again (NextLook); the kernel's notifications only make it sooner.
//
// At each interval, disk use is measured, and the pass that follows goes on whatever has changed;
// storage limits are checked in it alone ("full"). While the walk is under way, a pass without disk
// use follows at each interval. Where such a pass has to act for a disk, conditions are set and
// what needs no eviction is reclaimed, and a full pass is asked for at once; its walk hurries.
// Where the walk is not back within kDiskUsePatience, a full pass decides by the last known
// figures.
//
// After an eviction, the next one waits as long as the kubelet would, unless the node would run out
// before (decide/eviction_pace). Meanwhile it is looked at every few milliseconds, and an
// ending pod is killed early if the node would run out within its grace period.
//
// A pass that starts a long reclaim evicts no pod; a full pass follows when the reclaim is over.
// Everything else continues meanwhile: a memory threshold can still act, because memory comes
// before disks.
class Node : private SummarySource {
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
  // Continues from the state of an earlier agent. Must be called before Begin.
  void Resume(const SavedNode& saved);
  // The same for the next agent.
  [[nodiscard]] SavedNode Saved() const;
  // Another number whenever Saved may have changed by anything but time.
  [[nodiscard]] std::uint64_t changes() const { return reporter_.changes(); }
  // The first look at the node; full passes follow.
  void Begin();
  // The result of the last walk. Figures that it could not measure are older than its start, or
  // missing.
  void DiskMeasured(const DiskUse& disk);
  enum class Wakeup : std::uint8_t {
    kClock,
    kMemoryLevel,  // the kernel says that memory use crossed a level
    kStall,        // the kernel reports stalls, but not how much is left
  };
  // Looks at the node where that is due, or soon where the kernel says so, and goes on with a pass
  // where there is something to do.
  void Look(Wakeup by);
  // Does what is due by now.
  void Advance();
  [[nodiscard]] std::optional<Instant> NextDeadline() const;
  // Passes finished since the start.
  [[nodiscard]] std::uint64_t passes() const { return state_.record.count; }
  // What the last pass has seen; null before the first one.
  [[nodiscard]] const Observations* seen() const {
    return state_.record.last == nullptr ? nullptr : &state_.record.last->observations;
  }
  [[nodiscard]] const EvictionState& state() const { return state_.standing.state; }
  [[nodiscard]] const PassCounters& counters() const { return counters_; }
  // How the node stands, for onlookers; NodeIdentity is the caller's to add.
  [[nodiscard]] Snapshot MakeSnapshot() const;

 private:
  // Pods' files as measured, for a full pass.
  struct MeasuredDisk {
    const DiskUse& use;
    bool age_counts = true;  // figures that an earlier pass has used as well count as stale
  };
  // What brought a pass about.
  struct Cause {
    PassKind kind = PassKind::kWatch;
    bool by_clock = false;               // the kubelet would make a pass now
    const MeasuredDisk* disk = nullptr;  // null: files have not been measured
  };

  // Reads the figures of the node and of ending pods, and evaluates them.
  [[nodiscard]] ReadingPlan ReadNode(Instant now);
  // The rest of a pass over a node that has just been read: reads the pods, decides, carries it
  // out and reports it. Whether there was one: not while evicted pods are awaited, nor where it
  // would only repeat the last one.
  bool Pass(const ReadingPlan& plan, const Cause& cause);
  void FullPass(const ReadingPlan& plan, const MeasuredDisk& disk);
  // Reads the figures of pods that the plan asks for, or all with their disk use.
  void ReadPods(const ReadingPlan& plan, const MeasuredDisk* disk);
  [[nodiscard]] Result<Summary> ReadSummary() override;
  void AfterPass(const CycleReport& report, bool scheduled, Instant now);

  void TakePolicy(PassPolicy policy);
  void PlanLook(const Observations& seen, Instant now);
  // At `at` or sooner.
  void AskForLook(Instant at) { look_at_ = Earliest({look_at_, at}); }
  // A look that makes a pass for what the last one has acted for, too.
  void AskForPass(Instant at);
  void CollectGarbage(Instant now);
  void Rearm(Instant now);

  void StartWalk(Instant now);
  void WatchOverWalk(Instant now);

  void CheckCleanup(Instant now);
  void CheckReclaim(Instant now);
  // Takes the answers to soft evictions, after which the next pass follows at once.
  void TakeAnswers(Instant now);

  NodeSettings settings_;  // its policy is the first one
  bool layout_known_;
  NodeDependencies dependencies_;
  PassCounters counters_;
  NodeState state_;
  PassReporter reporter_;
  std::vector<ActivePod> pods_;           // of the pass under way, with what has been read of them
  std::optional<Summary> after_reclaim_;  // what the reclaim of this pass was judged by
  PassScheduler scheduler_;
  NodeWalks walks_;
  std::optional<Instant> look_at_;  // the next one
  Instant looked_at_;
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
