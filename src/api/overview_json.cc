#include "api/overview_json.h"

#include <cmath>

#include "explain/explanation.h"
#include "json/json_writer.h"

namespace jettison {
namespace {

void OptionalField(JsonWriter& json, std::string_view name, std::optional<std::int64_t> value) {
  if (value) json.Field(name, *value);
}
void OptionalField(JsonWriter& json, std::string_view name, const std::optional<Instant>& value) {
  if (value) json.Field(name, FormatInstant(*value));
}
void OptionalField(JsonWriter& json, std::string_view name, const std::string& value) {
  if (!value.empty()) json.Field(name, value);
}

double SecondsOf(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

void Write(JsonWriter& json, const OverviewThreshold& threshold) {
  json.Object([&] {
    json.Field("kind", threshold.hard ? "hard" : "soft");
    json.Field("value", threshold.value);
    OptionalField(json, "amount", threshold.amount);
    OptionalField(json, "minReclaim", threshold.min_reclaim);
    json.Field("gracePeriodSeconds", SecondsOf(threshold.grace_period));
    json.Field("met", threshold.met);
    json.Field("overdue", threshold.overdue);
    OptionalField(json, "since", threshold.since);
    if (threshold.time_to) json.Field("timeToSeconds", SecondsOf(*threshold.time_to));
  });
}

void Write(JsonWriter& json, const OverviewSignal& signal) {
  json.Object([&] {
    json.Field("signal", NameOf(signal.signal));
    json.Field("unit", UnitNameOf(signal.signal));
    OptionalField(json, "available", signal.available);
    OptionalField(json, "capacity", signal.capacity);
    OptionalField(json, "trendPerSecond", signal.trend_per_second);
    json.Array("thresholds", [&] {
      for (const OverviewThreshold& threshold : signal.thresholds) Write(json, threshold);
    });
  });
}

void Write(JsonWriter& json, const OverviewCondition& condition) {
  json.Object([&] {
    json.Field("type", condition.type);
    json.Field("status", condition.status ? "True" : "False");
    json.Field("since", FormatInstant(condition.since));
    json.Field("reason", condition.reason);
    json.Field("message", condition.message);
  });
}

void Write(JsonWriter& json, const OverviewTaint& taint) {
  json.Object([&] {
    json.Field("key", taint.key);
    json.Field("effect", taint.effect);
  });
}

void Write(JsonWriter& json, const OverviewPod& pod) {
  json.Object([&] {
    json.Field("namespace", pod.namespace_);
    json.Field("name", pod.name);
    json.Field("uid", pod.uid);
    OptionalField(json, "place", pod.place);
    json.Field("qos", pod.qos);
    json.Field("priority", pod.priority);
    json.Field("critical", pod.critical);
    json.Field("activity", pod.activity);
    json.Field("phase", pod.phase);
    OptionalField(json, "reason", pod.reason);
    OptionalField(json, "memoryBytes", pod.memory_bytes);
    json.Field("requestBytes", pod.request_bytes);
    OptionalField(json, "processes", pod.processes);
    OptionalField(json, "ephemeralBytes", pod.ephemeral_bytes);
    json.Field("overRequest", pod.over_request);
    OptionalField(json, "excess", pod.excess);
    json.Field("evictions", pod.evictions);
    OptionalField(json, "comesBackAt", pod.comes_back_at);
    OptionalField(json, "why", pod.why);
  });
}

void Write(JsonWriter& json, const OverviewEvent& event) {
  json.Object([&] {
    json.Field("at", FormatInstant(event.at));
    json.Field("count", event.count);
    json.Field("type", event.type);
    json.Field("object", event.object);
    json.Field("reason", event.reason);
    json.Field("message", event.message);
  });
}

void Texts(JsonWriter& json, std::string_view name, const std::vector<std::string>& texts) {
  json.Array(name, [&] {
    for (const std::string& text : texts) json.String(text);
  });
}

template <typename List>
void WriteList(JsonWriter& json, std::string_view name, const List& list) {
  json.Array(name, [&] {
    for (const auto& entry : list) Write(json, entry);
  });
}

}  // namespace

void WritePass(JsonWriter& json, const OverviewPass& pass) {
  json.Object([&] {
    json.Field("at", FormatInstant(pass.at));
    OptionalField(json, "actingFor", pass.acting_for);
    Texts(json, "evictions", pass.evictions);
    Texts(json, "reclaimSteps", pass.reclaim_steps);
    json.Field("reclaimUnderWay", pass.reclaim_under_way);
    json.Field("relievedByReclaim", pass.relieved_by_reclaim);
  });
}

std::string OverviewJson(const Overview& overview) {
  std::string text;
  JsonWriter json(text);
  json.Object([&] {
    json.Field("at", FormatInstant(overview.at));
    json.Field("node", overview.node);
    json.Field("version", overview.version);
    json.Field("startedAt", FormatInstant(overview.started_at));
    json.Field("dryRun", overview.dry_run);
    json.Field("phase", overview.phase);
    if (!overview.memory_held.empty()) json.Field("memoryHeld", overview.memory_held);
    if (!overview.eviction_waits.empty()) json.Field("evictionWaits", overview.eviction_waits);
    WriteList(json, "conditions", overview.conditions);
    WriteList(json, "taints", overview.taints);
    WriteList(json, "signals", overview.signals);
    json.Field("nearest", NameOf(overview.nearest));
    json.Field("rankedFor", NameOf(overview.ranked_for));
    WriteList(json, "pods", overview.pods);
    OptionalField(json, "podsMeasuredAt", overview.pods_measured_at);
    WriteList(json, "events", overview.events);
    json.Field("passes", overview.passes);
    if (overview.last_pass) {
      json.Key("lastPass");
      WritePass(json, *overview.last_pass);
    }
  });
  return text;
}

std::string OverviewJson(const Snapshot& snapshot, const OverviewOptions& options) {
  return OverviewJson(OverviewOf(snapshot, options));
}

}  // namespace jettison
