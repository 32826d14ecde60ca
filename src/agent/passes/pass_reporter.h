#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "agent/passes/node_dependencies.h"
#include "agent/passes/node_state.h"
#include "agent/passes/pass_log.h"
#include "core/decide/eviction_order.h"
#include "core/pass/pass.h"
#include "core/pods/pod_facts.h"
#include "view/node_counters.h"

namespace jettison {

// A pass whose decision has been carried out.
struct DonePass {
  RecordedPass pass;  // without its figures
  PassKind kind = PassKind::kWatch;
  PassTimes times;                   // without its end
  std::span<const ActivePod> pods;   // with what was read of them
  bool eviction_had_waited = false;  // as decided, before anything was done
};

// Everything that follows a pass, once its victim has been told to end: listeners, log and events
// are told, the wait for the victim begins, and the pass is recorded.
class PassReporter {
 public:
  // Everything must outlive this.
  PassReporter(const NodeSettings& settings, const NodeDependencies& dependencies, NodeState& node,
               PassCounters& counters)
      : dependencies_(dependencies),
        record_passes_(settings.record_passes),
        node_(node),
        counters_(counters),
        log_(dependencies_) {}

  const CycleReport& Report(DonePass done);
  // The API server has granted the eviction of a pod: reports it with the pass that asked for it.
  // Null: the pod has already been evicted for another reason.
  const CycleReport* Granted(const EvictionOrder& order, Instant now);
  // Looks whether the evicted pods are gone; true once, when the wait for them is over.
  [[nodiscard]] bool CheckCleanup(Instant now);
  // The thresholds of a pass that has asked whether a pod may go are no longer in force.
  void DropAsked() { asked_.reset(); }
  // Another number whenever what outlives the agent may have changed by anything but time.
  [[nodiscard]] std::uint64_t changes() const { return changes_; }

 private:
  void NotifyListeners(const CycleReport& report);
  void ReportConditions(const CycleReport& report, NodeConditions before, Instant now);
  void AwaitCleanup(const CycleReport& report, Instant now);
  void ReportPause(const CycleReport& report, std::span<const ActivePod> pods, Instant now);
  void TakeHolders(const CycleReport& report, std::span<const ActivePod> pods);
  void Record(RecordedPass pass, PassKind kind);
  void Publish(RecordedPass pass);
  [[nodiscard]] bool HasAskedFor(std::string_view uid) const;
  [[nodiscard]] RecordedPass TakeAsked(const EvictionOrder& order);

  NodeDependencies dependencies_;
  bool record_passes_;
  NodeState& node_;
  PassCounters& counters_;
  PassLog log_;
  std::optional<RecordedPass> asked_;  // the last one that asked whether a pod may go
  std::uint64_t changes_ = 0;
};

}  // namespace jettison
