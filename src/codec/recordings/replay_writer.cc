#include "codec/recordings/replay_writer.h"

namespace jettison {
namespace {

using Annotations = std::map<std::string, std::string, std::less<>>;

void WriteConditions(NodeConditions conditions, JsonWriter& json) {
  json.Array("nodeConditions", [&] {
    for (NodeConditionType type : kAllNodeConditions) {
      if (conditions.Has(type)) json.String(NameOf(type));
    }
  });
}

// "name": [each item by `write`]; nothing for an empty list.
template <typename Items, typename Write>
void WriteList(std::string_view name, const Items& items, JsonWriter& json, Write write) {
  if (items.empty()) return;
  json.Array(name, [&] {
    for (const auto& item : items) write(item);
  });
}

void WriteAnnotations(const Annotations& annotations, JsonWriter& json) {
  if (annotations.empty()) return;
  json.Object("annotations", [&] {
    for (const auto& [name, value] : annotations) json.Field(name, value);
  });
}

void WriteEvent(const Event& event, JsonWriter& json) {
  json.Object([&] {
    json.Field("object", event.object);
    json.Field("type", NameOf(event.type));
    json.Field("reason", event.reason);
    json.Field("message", event.message);
    WriteAnnotations(event.annotations, json);
  });
}

void WriteEviction(const EvictionRecord& eviction, JsonWriter& json) {
  const EvictionOrder& order = eviction.order;
  json.Object([&] {
    json.Field("pod", order.pod_uid);
    json.Field("gracePeriodSeconds", order.grace_period_seconds);
    json.Field("phase", "Failed");
    json.Field("reason", kReasonEvicted);
    json.Field("message", order.message);
    json.Field("disruptionTarget", order.disruption_target);
    if (eviction.kill_error) json.Field("killFailed", true);
  });
}

void WriteAdmission(const std::string& uid, const AdmissionAnswer& answer, JsonWriter& json) {
  json.Object([&] {
    json.Field("pod", uid);
    json.Field("admit", answer.admit);
    if (!answer.admit) {
      json.Field("reason", answer.reason);
      json.Field("message", answer.message);
    }
  });
}

void WriteAdmissions(const Scenario& scenario, const ScenarioStep& step, const StepOutcome& outcome,
                     JsonWriter& json) {
  if (outcome.admission.empty()) return;
  json.Array("admission", [&] {
    for (std::size_t i = 0; i < outcome.admission.size(); ++i) {
      WriteAdmission(scenario.pods[step.admit[i]].pod.uid, outcome.admission[i], json);
    }
  });
}

void WriteStep(const Scenario& scenario, const ScenarioStep& step, const StepOutcome& outcome,
               JsonWriter& json) {
  json.Object([&] {
    WriteReport(outcome.report, json);
    WriteAdmissions(scenario, step, outcome, json);
  });
}

}  // namespace

void WriteReport(const CycleReport& report, JsonWriter& json) {
  WriteConditions(report.conditions(), json);
  if (report.ranked_for) json.Field("reclaimSignal", NameOf(*report.ranked_for));
  WriteList("reclaimed", report.reclaim_attempted, json,
            [&](ReclaimStep each) { json.String(NameOf(each)); });
  if (report.pause) {
    json.Object("pause", [&] {
      json.Field("reason", NameOf(report.pause->reason));
      json.Field("until", FormatInstant(report.pause->until));
      json.Field("pod", report.pause->pod_uid);
    });
  }
  WriteList("ranking", report.ranking, json, [&](const std::string& uid) { json.String(uid); });
  WriteList("events", report.events, json, [&](const Event& each) { WriteEvent(each, json); });
  WriteList("evictions", report.evictions, json,
            [&](const EvictionRecord& each) { WriteEviction(each, json); });
}

void WriteReplay(const Scenario& scenario, const std::vector<StepOutcome>& outcomes,
                 std::string& out) {
  JsonWriter json(out);
  json.Object([&] {
    json.Field("name", scenario.name);
    json.Array("steps", [&] {
      for (std::size_t i = 0; i < outcomes.size(); ++i) {
        WriteStep(scenario, scenario.steps[i], outcomes[i], json);
      }
    });
  });
  out += '\n';
}

void WriteReplay(const ImageCollection& collection, const ImageGcOutcome& outcome,
                 std::string& out) {
  JsonWriter json(out);
  json.Object([&] {
    json.Field("name", collection.name);
    json.Strings("removed", outcome.removed);
    json.Field("error", outcome.error.has_value());
    if (outcome.event) json.Field("event", outcome.event->reason);
  });
  out += '\n';
}

}  // namespace jettison
