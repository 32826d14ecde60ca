#include "codec/recordings/scenario_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "codec/kubernetes/pod_writer.h"
#include "codec/recordings/eviction_state.h"
#include "codec/recordings/pace_input.h"
#include "codec/recordings/policy_writer.h"
#include "codec/recordings/replay_writer.h"
#include "codec/recordings/summary_writer.h"
#include "core/json/json_writer.h"
#include "core/model/redaction.h"
#include "core/pods/pod_kind.h"

namespace jettison {
namespace {

using Indices = std::vector<std::size_t>;

void PutUids(std::string_view name, const Scenario& scenario, const Indices& pods,
             JsonWriter& json) {
  json.Array(name, [&] {
    for (const std::size_t i : pods) json.String(scenario.pods[i].pod.uid);
  });
}

void WriteStep(const Scenario& scenario, const ScenarioStep& step, JsonWriter& json) {
  json.Object([&] {
    json.Field("at", FormatDuration(step.at));
    json.Key("summary");
    WriteSummary(step.summary, {}, json);
    if (step.reclaim_under_way) json.Field("reclaimUnderWay", true);
    if (step.pace) {
      json.Key("pace");
      WritePaceInput(*step.pace, json);
    }
    if (step.summary_after_reclaim) {
      json.Key("summaryAfterReclaim");
      WriteSummary(*step.summary_after_reclaim, {}, json);
    }
    PutUids("activePods", scenario, step.active, json);
    PutUids("admit", scenario, step.admit, json);
    PutUids("killErrors", scenario, step.kill_errors, json);
  });
}

// Pods that are never evicted although their specification does not say so.
Indices ProtectedPods(const Scenario& scenario) {
  Indices pods;
  for (std::size_t i = 0; i < scenario.pods.size(); ++i) {
    const PodFacts& facts = scenario.pods[i];
    if (facts.IsProtected() && !IsCritical(facts.pod, scenario.profile)) pods.push_back(i);
  }
  return pods;
}

// What came between the passes, which no replay brings about.
void PutEarlyKills(const std::vector<EarlyKill>& kills, JsonWriter& json) {
  if (kills.empty()) return;
  json.Objects("earlyKills", kills, [&](const EarlyKill& kill) {
    json.Field("pod", kill.pod_uid);
    json.Field("signal", NameOf(kill.signal));
    json.Field("at", FormatInstant(kill.at));
    json.Field("after", FormatDuration(kill.after));
    json.Field("gracePeriod", FormatDuration(kill.grace));
    json.Field("available", kill.left);
    json.Field("growth", kill.growth);
  });
}

// What reads a record reads it in one go: the pods must come before the steps.
void WriteMembers(const Scenario& scenario, JsonWriter& json) {
  json.Field("name", scenario.name);
  json.Field("start", FormatInstant(scenario.start));
  json.Field("profile", NameOf(scenario.profile));
  WritePolicy(scenario.policy, json);
  json.Key("state");
  WriteEvictionState(scenario.state, scenario.policy.thresholds, json);
  json.Array("pods", [&] {
    for (const PodFacts& pod : scenario.pods) json.Json(WritePod(pod.pod));
  });
  const Indices kept = ProtectedPods(scenario);
  if (!kept.empty()) PutUids("protectedPods", scenario, kept, json);
  json.Array("steps", [&] {
    for (const ScenarioStep& step : scenario.steps) WriteStep(scenario, step, json);
  });
}

}  // namespace

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

void WriteScenario(const Scenario& scenario, std::string& out) {
  JsonWriter json(out);
  json.Object([&] { WriteMembers(scenario, json); });
}

void WriteCycle(const RecordedPass& pass, Profile profile, std::string& out) {
  Scenario scenario = ScenarioOf(pass, profile);
  for (PodFacts& facts : scenario.pods) facts.pod = RedactedPod(std::move(facts.pod));
  JsonWriter json(out);
  json.Object([&] {
    WriteMembers(scenario, json);
    json.Field("pass", pass.number);
    PutEarlyKills(pass.report.early_kills, json);
    json.Object("report", [&] { WriteReport(pass.report, json); });
  });
}

}  // namespace jettison
