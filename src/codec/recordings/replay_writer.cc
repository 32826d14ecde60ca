#include "codec/recordings/replay_writer.h"

namespace jettison {
namespace {

// "name": a list of objects for each item, whose members `write` writes; nothing where it is empty.
template <typename Items, typename Write>
void WriteList(std::string_view name, const Items& items, JsonWriter& json, Write write) {
  if (!items.empty()) json.Objects(name, items, write);
}

}  // namespace

void WriteReport(const CycleReport& report, JsonWriter& json) {
  json.Array("nodeConditions", [&] {
    for (const NodeConditionType type : kAllNodeConditions) {
      if (report.conditions().Has(type)) json.String(NameOf(type));
    }
  });
  if (report.ranked_for) json.Field("reclaimSignal", NameOf(*report.ranked_for));
  json.ArrayUnlessEmpty("reclaimed", [&] {
    for (const ReclaimStep each : report.reclaim_attempted) json.String(NameOf(each));
  });
  if (report.pause) {
    json.Object("pause", [&] {
      json.Field("reason", NameOf(report.pause->reason));
      json.Field("until", FormatInstant(report.pause->until));
      json.Field("pod", report.pause->pod_uid);
    });
  }
  if (!report.ranking.empty()) json.Strings("ranking", report.ranking);
  WriteList("events", report.events, json, [&](const Event& event) {
    json.Field("object", event.object);
    json.Field("type", NameOf(event.type));
    json.Field("reason", event.reason);
    json.Field("message", event.message);
    json.ObjectUnlessEmpty("annotations", [&] {
      for (const auto& [name, value] : event.annotations) json.Field(name, value);
    });
  });
  WriteList("evictions", report.evictions, json, [&](const EvictionRecord& eviction) {
    const EvictionOrder& order = eviction.order;
    json.Field("pod", order.pod_uid);
    json.Field("gracePeriodSeconds", order.grace_period_seconds);
    json.Field("phase", "Failed");
    json.Field("reason", kReasonEvicted);
    json.Field("message", order.message);
    json.Field("disruptionTarget", order.disruption_target);
    if (eviction.kill_error) json.Field("killFailed", true);
  });
}

void WriteReplay(const Scenario& scenario, const std::vector<StepOutcome>& outcomes,
                 std::string& out) {
  JsonWriter json(out);
  const auto write_admission = [&](std::size_t pod, const AdmissionAnswer& answer) {
    json.Object([&] {
      json.Field("pod", scenario.pods[pod].pod.uid);
      json.Field("admit", answer.admit);
      if (answer.admit) return;
      json.Field("reason", answer.reason);
      json.Field("message", answer.message);
    });
  };
  json.Object([&] {
    json.Field("name", scenario.name);
    json.Objects("steps", outcomes, [&](const StepOutcome& outcome) {
      WriteReport(outcome.report, json);
      const ScenarioStep& step = scenario.steps[static_cast<std::size_t>(&outcome - &outcomes[0])];
      json.ArrayUnlessEmpty("admission", [&] {
        for (std::size_t i = 0; i < outcome.admission.size(); ++i) {
          write_admission(step.admit[i], outcome.admission[i]);
        }
      });
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
