#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "agent/edges.h"
#include "agent/event_log.h"
#include "agent/kept_state.h"
#include "agent/log.h"
#include "agent/memory_forecast.h"
#include "agent/node_counters.h"
#include "agent/node_standing.h"
#include "agent/pace_keeper.h"
#include "agent/pass_history.h"
#include "agent/pass_scheduler.h"
#include "agent/pod_table.h"
#include "agent/signal_history.h"
#include "agent/snapshot.h"
#include "model/images.h"
#include "pass/pass.h"
#include "ports/clock.h"

namespace jettison {

// How long somebody whose disk is short waits for pods' files to be measured. Within it ordinary
// walks are back; in ten of it a writer of 200 MiB/s fills what a threshold of 5 GiB has left.
inline constexpr Duration kDiskUsePatience = std::chrono::seconds(3);

// What a node is told once.
struct NodeSettings {
  PassPolicy policy;
  Duration monitoring_interval = std::chrono::seconds(10);
  ContainerGcPolicy container_gc;
  bool memory_notifications = false;
  // Look at memory between passes, as often as it could run short.
  bool look_ahead = false;
  // Keep the last passes for onlookers, with all that they were made of.
  bool record_passes = false;
  bool dry_run = false;  // victims are counted as such, nothing else
};

// What a node works with; everything must outlive it.
struct NodeEdges {
  const Clock& clock;
  Figures& figures;
  DiskWalks& disk_walks;
  MemoryNotifier& notifier;
  PodTable& pods;
  NodeKiller& killer;
  LastingReclaimer& reclaimer;
  EventLog& events;
  const Log& log;
  // Deletes what is left of pods that are gone; called every minute. Null: nothing is.
  std::function<void()> collect_remains = nullptr;
  // Told when the conditions of the node have changed. Null: nobody is.
  std::function<void(NodeConditions before, NodeConditions after, Instant now)> on_conditions =
      nullptr;
  // Told when the wait for evicted pods is over; whether all are gone. Null: nobody is.
  std::function<void(bool all_gone, Instant now)> on_cleanup = nullptr;
  // Told of every look at memory. Null: no memory is taken back.
  MemoryLadder* ladder = nullptr;
  // Takes each pass that evicted, when all is done. Null: nobody does.
  std::function<void(const std::shared_ptr<const RecordedPass>&)> on_eviction = nullptr;
};

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
class Node : private SummarySource {
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
  void Resume(const KeptNode& kept);
  // The same for the next agent.
  [[nodiscard]] KeptNode Kept() const;
  // Another number whenever Kept may have changed by anything but time.
  [[nodiscard]] std::uint64_t changes() const { return changes_; }
  // The first look at the node; full passes follow.
  void Begin();
  // What the walk that was last started has measured. What it could not measure is older than its
  // start, or missing.
  void DiskMeasured(DiskUse disk);
  // The kernel says that memory use crossed a level, or levels have just been registered.
  void MemoryCrossed();
  // The kernel says that tasks wait, or that memory has become tight, but not how much is left.
  void Stalled();
  // Whether the kernel tells of all stalls that thresholds are about; at first it does not.
  void SetStallsAreTold(bool told) { stalls_are_told_ = told; }
  // Whether the kernel now tells of every level that was asked for; at first it does not.
  void SetKernelTells(bool tells) { kernel_tells_ = tells; }
  // Does what is due by now.
  void Advance();
  [[nodiscard]] std::optional<Instant> NextDeadline() const;
  // Passes finished since the start.
  [[nodiscard]] std::uint64_t passes() const { return passes_; }
  [[nodiscard]] const EvictionState& state() const { return standing_.state; }
  [[nodiscard]] const PassCounters& counters() const { return counters_; }
  // How the node stands, for onlookers; NodeIdentity is the caller's to add.
  [[nodiscard]] Snapshot MakeSnapshot() const;

 private:
  [[nodiscard]] Result<Summary> ReadSummary() override;
  void TakePolicy();
  void TakeThresholds(std::vector<Threshold> thresholds);
  void FullPass(const DiskUse& disk);
  void WatchPass();
  void ReadPodsFor(Signal signal);
  void KeepWarm();
  void WatchAt(Instant at);
  // Just before a threshold the next watch pass is not left to the kernel.
  void StayNear(Instant now);
  void LookAtMemory();
  // Whether a look that came to this has found something that a pass is worth its while for.
  [[nodiscard]] bool IsNews(std::size_t threshold, const Evaluation& evaluation) const;
  void PlanLook(const Observations& observations, Instant now);
  void ReadEnding();
  // `next_by_clock` as in PaceInput.
  void PreparePace(std::optional<std::size_t> threshold, std::optional<Instant> next_by_clock,
                   Instant now);
  // For a watch pass; absent: this is one by the clock. Plans the next one.
  [[nodiscard]] std::optional<Instant> NextByClock(Instant now);
  [[nodiscard]] bool HoldsOfPods(Signal signal, HeldAmounts& held);
  [[nodiscard]] bool IsToldPause(std::optional<std::size_t> threshold, Instant now) const;
  void TakePause(const CycleReport& report, Instant now);
  void PlanPaceLook(Instant now);
  void LookAtPace();
  void HastenKills(const Observations& seen, Instant now);
  [[nodiscard]] std::optional<std::int64_t> HeldByEnding(const PodFacts* facts,
                                                         Signal signal) const;
  // What a pass over the node's present figures would find.
  [[nodiscard]] Evaluation EvaluateNow(Instant now) const;
  [[nodiscard]] bool IsDisk(std::size_t threshold) const;
  // Whether the next eviction for a disk waits for its time.
  [[nodiscard]] bool DiskIsPaused(Instant now) const;
  // What can be done for a disk before pods' files have been measured.
  void PassWithoutDiskUse(std::size_t threshold, const Evaluation& evaluation,
                          std::optional<Instant> next_by_clock, Instant now);
  void AwaitDiskUse(Instant now);
  void MarkStale(const DiskUse* disk);
  // Whether the node's present figures are worth a pass that does not wait for pods' files.
  [[nodiscard]] bool HasNews(Instant now);
  void Walk(std::span<const PodFacts* const> pods);
  [[nodiscard]] bool MustWalkAgain(const DiskUse& disk);
  void WatchOverWalk();
  [[nodiscard]] std::optional<Instant> NextDuringWalk() const;
  void LookAgain(Instant now);
  [[nodiscard]] bool MayDecide(std::optional<std::size_t> threshold) const;
  void Run(const std::shared_ptr<const PassPolicy>& policy, Instant now);
  void Record(RecordedPass pass, const std::vector<const PodFacts*>& pods);
  [[nodiscard]] std::vector<ThresholdView> ThresholdViews() const;
  void AddFigures(std::vector<PodView>& pods) const;
  void AfterPass(const CycleReport& report, NodeConditions before, Instant now);
  void AwaitCleanup(const CycleReport& report, Instant now);
  void CheckCleanup(Instant now);
  void CheckReclaim(Instant now);
  void ScheduleGraceEnds(const Evaluation& evaluation);
  void Rearm(Instant now);
  void CollectGarbage(Instant now);
  void StartWalk();
  [[nodiscard]] bool NeedsWalk() const;

  NodeSettings settings_;
  std::shared_ptr<const PassPolicy> policy_;        // the settings'
  std::shared_ptr<const PassPolicy> watch_policy_;  // without storage limits
  NodeEdges edges_;
  PassScheduler scheduler_;
  NodeStanding standing_;
  Summary summary_;
  std::vector<ActivePod> scratch_;
  std::vector<const PodFacts*> warm_;     // whose files the kernel was asked for before
  std::vector<PodStats> last_pod_stats_;  // of the last full pass, for onlookers
  std::optional<Instant> pods_measured_at_;
  std::set<std::string, std::less<>> walked_;  // UIDs of the pods that the last walk began with
  std::map<std::string, Instant, std::less<>> disk_measured_at_;  // in it, by pod UID
  std::shared_ptr<const CycleReport> last_report_;
  std::optional<Summary> after_reclaim_;  // what the reclaim of this pass was judged by
  PassHistory recorded_;
  SignalHistory history_;
  std::uint64_t passes_ = 0;
  std::uint64_t changes_ = 0;
  PassCounters counters_;
  std::optional<Instant> woken_at_;  // for the pass that is to come of it
  Instant pass_woken_at_;            // for the present one
  std::vector<MemoryLevel> armed_;   // what the kernel was last asked for
  Instant armed_at_;
  std::optional<Instant> watch_due_;  // the next watch pass that nobody has to ask for
  Instant no_watch_before_;
  MemoryForecast forecast_;
  std::optional<Instant> look_due_;  // at memory alone
  PaceKeeper pace_;
  std::optional<PaceInput> pace_input_;  // for the pass that is to come, or was made last
  std::optional<EvictionPause> pause_;   // of the next eviction
  Signal paused_for_ = Signal::kMemoryAvailable;
  Instant pause_told_at_;                // by a report
  std::optional<Instant> pace_due_;      // the next look while pods end or an eviction waits
  Instant pace_since_;                   // since when these looks are made
  Instant pids_due_;                     // the first of them to read process ids, too
  std::vector<EarlyKill> early_kills_;   // since the last pass
  std::vector<const PodFacts*> ending_;  // pods that are ending, whose figures follow
  std::vector<PodStats> ending_stats_;
  std::vector<const PodFacts*> held_by_;  // whose amounts the keeper has been told last
  std::optional<MemoryHolders> holders_;  // as of the last pass that read the pods' memory
  bool kernel_tells_ = false;
  bool stalls_are_told_ = false;
  Instant stalled_until_;   // tasks wait until then, as far as the kernel has told
  Instant approach_until_;  // looked at often until then, if a threshold is near
  Instant next_gc_;
  Instant next_evaluation_;            // of the node's figures, where no full pass comes before it
  std::optional<Instant> grace_ends_;  // the next end of a soft threshold's grace period
  std::optional<Instant> disk_awaited_since_;  // somebody would have to go for a disk
  std::optional<Instant> disk_passed_at_;      // the last pass for a disk without disk use
  bool reclaim_awaited_ = false;               // nobody was evicted because a reclaim was under way
};

}  // namespace jettison
