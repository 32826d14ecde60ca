#pragma once

#include <algorithm>
#include <vector>

#include "core/decide/image_gc.h"
#include "core/pass/pass.h"
#include "core/scenario/scenario.h"
#include "ports/node_actions.h"

namespace jettison {

// The ports of a node that only exists in one step of a scenario: kills fail where the scenario
// says so, a reclaim leads to the summary that the scenario has for it.
class SimulatedNode final : public PodKiller, public NodeReclaimer, public SummarySource {
 public:
  SimulatedNode(const Scenario& scenario, const ScenarioStep& step)
      : scenario_(scenario), step_(step) {}

  Result<EvictOutcome> Evict(const EvictionOrder& order, Instant) override {
    const auto fails = [&](std::size_t i) { return scenario_.pods[i].pod.uid == order.pod_uid; };
    if (std::any_of(step_.kill_errors.begin(), step_.kill_errors.end(), fails)) {
      return Fail(ErrorCode::kInternal, "the scenario lets this kill fail");
    }
    return EvictOutcome::kEnding;
  }
  Result<ReclaimProgress> DeleteDeadContainers() override { return Progress(); }
  Result<ReclaimProgress> DeleteUnusedImages() override { return Progress(); }
  Result<Summary> ReadSummary() override {
    return step_.summary_after_reclaim ? *step_.summary_after_reclaim : step_.summary;
  }

 private:
  [[nodiscard]] ReclaimProgress Progress() const {
    return step_.reclaim_under_way ? ReclaimProgress::kUnderWay : ReclaimProgress::kDone;
  }

  const Scenario& scenario_;
  const ScenarioStep& step_;
};

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
