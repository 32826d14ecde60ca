#pragma once

#include <string>
#include <vector>

#include "codec/kubernetes/pod_writer.h"
#include "codec/recordings/scenario_policy.h"
#include "codec/recordings/summary_writer.h"
#include "core/json/json_writer.h"
#include "core/scenario/scenario.h"

namespace jettison {

inline void PutUids(std::string_view name, const Scenario& scenario,
                    const std::vector<std::size_t>& pods, JsonWriter& json) {
  json.Array(name, [&] {
    for (const std::size_t i : pods) json.String(scenario.pods[i].pod.uid);
  });
}

inline void WriteStep(const Scenario& scenario, const ScenarioStep& step, JsonWriter& json) {
  json.Object([&] {
    json.Field("at", FormatDuration(step.at));
    json.Key("summary");
    WriteSummary(step.summary, {}, json);
    if (step.summary_after_reclaim) {
      json.Key("summaryAfterReclaim");
      WriteSummary(*step.summary_after_reclaim, {}, json);
    }
    PutUids("activePods", scenario, step.active, json);
    PutUids("admit", scenario, step.admit, json);
    PutUids("killErrors", scenario, step.kill_errors, json);
  });
}

// Appends a scenario as a record that ReadScenario reads, one line without its end.
inline void WriteScenario(const Scenario& scenario, std::string& out) {
  JsonWriter json(out);
  json.Object([&] {
    json.Field("name", scenario.name);
    json.Field("start", FormatInstant(scenario.start));
    json.Field("profile", NameOf(scenario.profile));
    WritePolicy(scenario.policy, json);
    json.Array("pods", [&] {
      for (const PodFacts& pod : scenario.pods) json.Json(WritePod(pod.pod));
    });
    json.Array("steps", [&] {
      for (const ScenarioStep& step : scenario.steps) WriteStep(scenario, step, json);
    });
  });
}

}  // namespace jettison
