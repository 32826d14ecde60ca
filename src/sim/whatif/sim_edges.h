#pragma once

#include <algorithm>

#include "core/pass/recorded_pass.h"
#include "ports/node_actions.h"

namespace jettison {

// The edges of a pass in a simulation. Where the same pass was recorded, kills and reclaims end as
// they did then; else every kill succeeds, and a reclaim frees nothing.
class SimulatedEdges final : public PodKiller, public NodeReclaimer, public SummarySource {
 public:
  // `recorded` may be null.
  explicit SimulatedEdges(const RecordedPass* recorded) : recorded_(recorded) {}

  Result<EvictOutcome> Evict(const EvictionOrder& order, Instant) override {
    if (recorded_ == nullptr) return EvictOutcome::kEnding;
    const auto& evictions = recorded_->report.evictions;
    const auto same = std::ranges::find(
        evictions, order.pod_uid, [](const EvictionRecord& each) { return each.order.pod_uid; });
    if (same == evictions.end()) return EvictOutcome::kEnding;
    if (same->kill_error) return Fail(ErrorCode::kInternal, *same->kill_error);
    return same->outcome.value_or(EvictOutcome::kEnding);
  }
  Result<ReclaimProgress> DeleteDeadContainers() override { return Progress(); }
  Result<ReclaimProgress> DeleteUnusedImages() override { return Progress(); }
  Result<Summary> ReadSummary() override {
    if (recorded_ == nullptr) return Fail(ErrorCode::kUnavailable, "no reclaim was recorded");
    Summary summary;
    summary.node =
        recorded_->after_reclaim ? recorded_->after_reclaim->node : recorded_->summary.node;
    return summary;
  }

 private:
  [[nodiscard]] ReclaimProgress Progress() const {
    const bool under_way = recorded_ != nullptr && recorded_->report.reclaim_under_way;
    return under_way ? ReclaimProgress::kUnderWay : ReclaimProgress::kDone;
  }

  const RecordedPass* recorded_;
};

}  // namespace jettison
