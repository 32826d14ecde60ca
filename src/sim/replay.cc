#include "sim/replay.h"

#include "apply/pass.h"

namespace jettison {
namespace {

std::vector<const PodFacts*> ActivePods(const Scenario& scenario, const ScenarioStep& step) {
  std::vector<const PodFacts*> active;
  active.reserve(step.active.size());
  for (std::size_t i : step.active) active.push_back(&scenario.pods[i]);
  return active;
}

}  // namespace

std::vector<StepOutcome> Replay(const Scenario& scenario) {
  std::vector<StepOutcome> outcomes;
  outcomes.reserve(scenario.steps.size());
  EvictionState state = scenario.state;
  std::vector<ActivePod> scratch;
  for (const ScenarioStep& step : scenario.steps) {
    SimulatedNode node(scenario, step);
    NodePorts ports{.killer = node, .reclaimer = node, .summaries = node};
    const PassInput input{.now = scenario.start + step.at,
                          .summary = step.summary,
                          .pods = ActivePods(scenario, step),
                          .full_ranking = true,
                          .pace = step.pace};
    StepOutcome& outcome = outcomes.emplace_back(
        StepOutcome{RunPass(scenario.policy, input, ports, state, scratch), {}});
    for (std::size_t i : step.admit) {
      outcome.admission.push_back(Admit(scenario.pods[i].pod, state.conditions, scenario.profile));
    }
  }
  return outcomes;
}

}  // namespace jettison
