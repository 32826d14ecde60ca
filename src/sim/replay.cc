#include "sim/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include "apply/pass.h"
#include "core/recording/recording.h"

namespace jettison {
namespace {

std::vector<const PodFacts*> ActivePods(const Scenario& scenario, const ScenarioStep& step) {
  std::vector<const PodFacts*> active;
  active.reserve(step.active.size());
  for (std::size_t i : step.active) active.push_back(&scenario.pods[i]);
  return active;
}

}  // namespace

ImaginedNode NodeOf(const Scenario& scenario, const ScenarioStep& step) {
  const auto kill = [&](const EvictionOrder& order) -> Result<EvictOutcome> {
    const auto fails = [&](std::size_t i) { return scenario.pods[i].pod.uid == order.pod_uid; };
    if (std::ranges::any_of(step.kill_errors, fails)) {
      return Fail(ErrorCode::kInternal, "the scenario lets this kill fail");
    }
    return EvictOutcome::kEnding;
  };
  const Summary& after = step.summary_after_reclaim ? *step.summary_after_reclaim : step.summary;
  return {kill, after.node, step.reclaim_under_way};
}

std::vector<StepOutcome> Replay(const Scenario& scenario) {
  std::vector<StepOutcome> outcomes;
  outcomes.reserve(scenario.steps.size());
  EvictionState state = scenario.state;
  for (const ScenarioStep& step : scenario.steps) {
    ImaginedNode node = NodeOf(scenario, step);
    NodePorts ports{.killer = node, .reclaimer = node, .summaries = node};
    const PassInput input{.now = scenario.start + step.at,
                          .summary = step.summary,
                          .pods = ActivePods(scenario, step),
                          .full_ranking = true,
                          .pace = step.pace};
    StepOutcome& outcome =
        outcomes.emplace_back(StepOutcome{RunPass(scenario.policy, input, ports, state), {}});
    for (std::size_t i : step.admit) {
      outcome.admission.push_back(Admit(scenario.pods[i].pod, state.conditions, scenario.profile));
    }
  }
  return outcomes;
}

std::vector<RecordedPass> RecordedPassesOf(const Scenario& scenario) {
  const auto policy = std::make_shared<const PassPolicy>(scenario.policy);
  std::vector<std::shared_ptr<const PodFacts>> pods;
  for (const PodFacts& facts : scenario.pods) {
    pods.push_back(std::make_shared<const PodFacts>(facts));
  }
  std::vector<StepOutcome> outcomes = Replay(scenario);
  std::vector<RecordedPass> passes;
  EvictionState state = scenario.state;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    RecordedPass& pass = passes.emplace_back();
    pass.number = i + 1;
    pass.policy = policy;
    pass.before = state;
    pass.summary = scenario.steps[i].summary;
    for (const std::size_t index : scenario.steps[i].active) pass.pods.push_back(pods[index]);
    pass.pace = scenario.steps[i].pace;
    pass.after_reclaim = scenario.steps[i].summary_after_reclaim;
    pass.report = std::move(outcomes[i].report);
    state = StateAfter(pass);
  }
  return passes;
}

Scenario ScenarioOf(const RecordedPass& pass, Profile profile) {
  Scenario scenario{.name = fmt::format("pass {}", pass.number),
                    .start = pass.report.at,
                    .policy = *pass.policy,
                    .profile = profile,
                    .state = pass.before,
                    .pods = {},
                    .steps = {}};
  ScenarioStep& step = scenario.steps.emplace_back();
  step.summary = pass.summary;
  step.summary_after_reclaim = pass.after_reclaim;
  step.reclaim_under_way = pass.report.reclaim_under_way;
  step.pace = pass.pace;
  for (const auto& facts : pass.pods) {
    const auto killed = std::ranges::find(pass.report.evictions, facts->pod.uid,
                                          [](const EvictionRecord& e) { return e.order.pod_uid; });
    if (killed != pass.report.evictions.end() && killed->kill_error) {
      step.kill_errors.push_back(scenario.pods.size());
    }
    step.active.push_back(scenario.pods.size());
    scenario.pods.push_back(*facts);
  }
  return scenario;
}

ImageGcOutcome Replay(const ImageCollection& collection) {
  ImageGcRun run(collection.policy, collection.mode, collection.images, collection.times);
  for (;;) {
    if (const auto* outcome = std::get_if<ImageGcOutcome>(&run.step())) return *outcome;
    const auto* remove = std::get_if<RemoveImage>(&run.step());
    if (remove == nullptr) {
      run.Measured(collection.image_fs);
    } else if (collection.refused.contains(remove->id)) {
      run.RemoveFailed({ErrorCode::kUnavailable, "the record lets this removal fail"});
    } else {
      run.Removed();
    }
  }
}

}  // namespace jettison
