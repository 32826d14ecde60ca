#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "agent/evictions/eviction_pacing.h"
#include "agent/evictions/node_dependencies.h"
#include "agent/evictions/pass_log.h"
#include "agent/passes/node_standing.h"
#include "agent/passes/pass_pods.h"
#include "agent/passes/pass_policies.h"
#include "agent/passes/spared_pods.h"
#include "agent/schedule/measured_pods.h"
#include "agent/state/agent_state.h"
#include "apply/pass.h"
#include "core/decide/holders.h"
#include "core/pass/recorded_pass.h"
#include "core/report/cycle_report.h"
#include "view/histories.h"
#include "view/node_counters.h"

namespace jettison {

// What the passes of a node leave behind for onlookers.
struct PassRecord {
  std::uint64_t count = 0;                  // of passes finished since the start
  std::shared_ptr<const CycleReport> last;  // null before the first pass
  // Of the memory, and of a disk that is short, as of the last pass that read the pods.
  std::vector<Holders> holders;
  MeasuredPods pods;
  PassHistory passes;
  SignalHistory signals;
};

// Whether pods' disk figures that an earlier pass has used as well are marked as stale.
enum class DiskAge : std::uint8_t {
  kCounts,
  kServes,  // they are not: no disk is short
};

// What brought a pass about.
struct PassCause {
  PassKind kind = PassKind::kWatch;
  Instant woken;                         // by the kernel, the clock, or figures waited for
  std::optional<Instant> next_by_clock;  // as in PaceInput
  DiskAge disk_age = DiskAge::kCounts;
};

// Whether a reading waits for a file system that is slow to answer.
enum class Patience : std::uint8_t { kWaits, kNone };

// Makes the passes of one node: reads the figures that each needs, runs it, reports what it did,
// and keeps the state for the next one. The caller decides when a pass is made.
class NodePasses : private SummarySource {
 public:
  NodePasses(const NodeSettings& settings, const NodeDependencies& dependencies,
             PassCounters& counters);

  [[nodiscard]] const PassPolicies& policy() const { return policies_; }
  // Changes the policy. A threshold that was met stays met if its signal and value are the same; a
  // new one goes on where an agent before was, if it was awaited.
  void TakePolicy(PassPolicy policy, Instant now);
  // Goes on where an agent before was.
  void Resume(const SavedNode& kept, Instant now);
  // The machine was suspended for so long.
  void Slept(Duration slept, Instant now) { PutOff(slept, now, standing_); }

  // Reads the figures of the node and of ending pods. Returns the plan of a watch pass over them,
  // which may act for what the wait for evicted pods leaves.
  [[nodiscard]] ReadingPlan ReadNode(Patience patience, Instant now);
  // Whether the wait for evicted pods leaves a pass with this plan.
  [[nodiscard]] bool MayDecide(const ReadingPlan& plan) const;

  // Reads the pods' figures that the plan needs, without their disk use, and decides.
  [[nodiscard]] PassDecision Decide(const ReadingPlan& plan, const PassCause& cause);
  // As Decide, with the figures of all pods and their disk use. `disk` null: it is unknown, so no
  // pod is evicted for a disk.
  [[nodiscard]] PassDecision DecideWith(const DiskUse* disk, const ReadingPlan& plan,
                                        const PassCause& cause);
  // Whether a pass with this decision would only report again that the eviction waits.
  [[nodiscard]] bool IsReported(const ReadingPlan& plan, const PassDecision& decision) const;
  // Carries out the decision and reports it. Nothing may be read between Decide and Run.
  const CycleReport& Run(const ReadingPlan& plan, const PassDecision& decision,
                         const PassCause& cause);
  // The API server has granted the eviction of a pod: reports it with the pass that asked for it.
  // Null: the pod has already been evicted for another reason.
  const CycleReport* Granted(const EvictionOrder& order, Instant now);
  // That was a full pass, and this is what it was made of.
  void KeepMeasured(const DiskUse& disk, Instant now);

  // Looks whether the evicted pods are gone; true once, when the wait for them is over.
  [[nodiscard]] bool CheckCleanup(Instant now);
  // Kills ending pods early if the node would run out, by what has just been read.
  void Hasten(const ReadingPlan& plan);

  [[nodiscard]] EvictionPacing& pacing() { return pacing_; }
  [[nodiscard]] const EvictionPacing& pacing() const { return pacing_; }
  [[nodiscard]] const NodeStanding& standing() const { return standing_; }
  [[nodiscard]] const Summary& summary() const { return summary_; }
  [[nodiscard]] const PassRecord& record() const { return record_; }
  // Of the last pass that has read pods.
  [[nodiscard]] const SparedPods& spared() const { return spared_; }
  // Another number whenever what outlives the agent may have changed by anything but time.
  [[nodiscard]] std::uint64_t changes() const { return changes_; }

 private:
  // What a pass of this kind decides by now.
  [[nodiscard]] const std::shared_ptr<const PassPolicy>& PolicyOf(PassKind kind) const {
    return policies_.For(kind, standing_.wait.active());
  }
  [[nodiscard]] Result<Summary> ReadSummary() override;
  // Sets the pods of the pass and, for a soft threshold, why its eviction waits.
  void TakePods(const ReadingPlan& plan);
  [[nodiscard]] PassDecision DecideByPods(const ReadingPlan& plan, const PassCause& cause);
  [[nodiscard]] PacedPass PacedFor(const ReadingPlan& plan, std::size_t threshold,
                                   const PassCause& cause) const;
  void NotifyListeners(const CycleReport& report);
  void Report(const CycleReport& report, NodeConditions before, Instant now);
  void AwaitCleanup(const CycleReport& report, Instant now);
  void ReportPause(const CycleReport& report, Instant now);
  void TakeHolders(const CycleReport& report);
  void Record(RecordedPass pass, PassKind kind, const std::vector<const PodFacts*>& pods);
  [[nodiscard]] bool HasAskedFor(std::string_view uid) const;
  [[nodiscard]] RecordedPass TakeAsked(const EvictionOrder& order);
  [[nodiscard]] std::vector<std::shared_ptr<const PodFacts>> Keep(
      const std::vector<const PodFacts*>& pods) const;

  NodeDependencies dependencies_;
  bool record_passes_;
  PassCounters& counters_;
  PassPolicies policies_;
  NodeStanding standing_;
  Summary summary_;
  PassPods pods_;  // puts their figures into summary_
  EvictionPacing pacing_;
  PassRecord record_;
  PassLog log_;
  std::weak_ptr<const RecordedPass> recorded_;  // of the last Run, if it was recorded
  SparedPods spared_;
  std::optional<RecordedPass> asked_;     // the last one that asked whether a pod may go
  std::optional<Summary> after_reclaim_;  // what the reclaim of this pass was judged by
  std::uint64_t changes_ = 0;
};

}  // namespace jettison
