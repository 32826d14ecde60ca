#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "apply/pass.h"
#include "core/decide/garbage_collection.h"
#include "core/model/summary.h"
#include "core/pass/pass.h"
#include "core/scenario/scenario.h"

namespace jettison {

// A node on which nothing really happens: its ports answer what they are given.
class ImaginedNode final : public PodKiller, public NodeReclaimer, public SummarySource {
 public:
  using Kill = std::function<Result<EvictOutcome>(const EvictionOrder&)>;

  // `kill`: what a kill comes to. `after_reclaim`: what the node is like then; absent: that is not
  // known. `reclaim_under_way`: reclaims do not end within the pass.
  ImaginedNode(Kill kill, std::optional<NodeStats> after_reclaim, bool reclaim_under_way = false)
      : kill_(std::move(kill)),
        after_reclaim_(std::move(after_reclaim)),
        progress_(reclaim_under_way ? ReclaimProgress::kUnderWay : ReclaimProgress::kDone) {}

  Result<EvictOutcome> Evict(const EvictionOrder& order, Instant /*now*/) override {
    return kill_(order);
  }
  Result<ReclaimProgress> DeleteDeadContainers() override { return progress_; }
  Result<ReclaimProgress> DeleteUnusedImages() override { return progress_; }
  Result<Summary> ReadSummary() override {
    if (!after_reclaim_) return Fail(ErrorCode::kUnavailable, "no reclaim was recorded");
    Summary summary;
    summary.node = *after_reclaim_;
    return summary;
  }

 private:
  Kill kill_;
  std::optional<NodeStats> after_reclaim_;
  ReclaimProgress progress_;
};

// The node of a step: kills fail where the scenario says so, a reclaim leads to what the scenario
// has for it.
[[nodiscard]] ImaginedNode NodeOf(const Scenario& scenario, const ScenarioStep& step);

// Replays a scenario on a node that exists in memory only, by the same pass that the agent runs.
// Reports list the whole ranking.
[[nodiscard]] std::vector<StepOutcome> Replay(const Scenario& scenario);

// The passes that a replay makes of a scenario, each with the state that it began with.
[[nodiscard]] std::vector<RecordedPass> RecordedPassesOf(const Scenario& scenario);

// A recorded pass as a scenario of one step.
[[nodiscard]] Scenario ScenarioOf(const RecordedPass& pass, Profile profile);

// Runs a collection on an image store that exists in memory only. The file system is measured once
// and reads the same whatever was removed, as in the recordings.
[[nodiscard]] ImageGcOutcome Replay(const ImageCollection& collection);

}  // namespace jettison
