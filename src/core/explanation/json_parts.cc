#include "core/explanation/json_parts.h"

#include "core/explanation/amounts.h"
#include "core/model/pressure.h"

namespace jettison {
namespace {

// Times as Go writes them, "1m30s".
void DurationField(std::string_view name, const std::optional<Duration>& duration,
                   JsonWriter& json) {
  if (duration) json.Field(name, FormatDuration(*duration));
}

// For pressure it is the lost share of the time, not the rest.
std::string MinReclaimText(Signal signal, const ThresholdValue& value) {
  const auto* amount = std::get_if<Quantity>(&value);
  if (amount != nullptr && IsPressure(signal)) return ShareText(amount->Value());
  return ValueText(signal, value);
}

std::string_view NameOf(StorageLimitKind kind) {
  switch (kind) {
    case StorageLimitKind::kEmptyDir: return "emptyDir";
    case StorageLimitKind::kPod: return "pod";
    case StorageLimitKind::kContainer: return "container";
  }
  __builtin_unreachable();
}

}  // namespace

void WriteHead(std::string_view kind, JsonWriter& json) {
  json.Field("apiVersion", "jettison.io/v1alpha1");
  json.Field("kind", kind);
}

void WritePod(std::string_view name, const PodIdentity& pod, JsonWriter& json) {
  json.Object(name, [&] {
    if (!pod.name.empty()) {
      json.Field("namespace", pod.namespace_);
      json.Field("name", pod.name);
    }
    json.Field("uid", pod.uid);
  });
}

void WriteReading(const SignalReading& reading, JsonWriter& json) {
  json.Object([&] {
    json.Field("name", NameOf(reading.signal));
    json.Field("resource", NameOf(ResourceOf(reading.signal)));
    json.Field("unit", UnitNameOf(reading.signal));
    if (reading.seen) {
      json.Field("capacity", reading.seen->capacity);
      json.Field("available", reading.seen->available);
      if (reading.seen->time) json.Field("time", FormatInstant(*reading.seen->time));
    }
    json.Array("figures", [&] {
      for (const SignalFigure& figure : reading.figures) {
        json.Object([&] {
          json.Field("name", figure.key);
          json.Field("amount", figure.amount);
          if (figure.role == SignalFigure::Role::kSubtracted) json.Field("subtracted", true);
          if (figure.role == SignalFigure::Role::kResult) json.Field("result", true);
        });
      }
    });
  });
}

void WriteThreshold(const ThresholdFacts& facts, JsonWriter& json) {
  const Signal signal = facts.threshold.signal;
  json.Object([&] {
    json.Field("signal", NameOf(signal));
    json.Field("value", ValueText(signal, facts.threshold.value));
    json.Field("kind", facts.threshold.IsHard() ? "hard" : "soft");
    json.Field("amount", facts.line);
    if (facts.seen) json.Field("available", facts.seen->available);
    if (facts.seen) json.Field("capacity", facts.seen->capacity);
    if (facts.threshold.min_reclaim) {
      json.Field("minReclaim", MinReclaimText(signal, *facts.threshold.min_reclaim));
    }
    json.Field("endsAt", facts.end ? facts.end : facts.line);
    json.Field("met", facts.met);
    json.Field("heldByMinReclaim", facts.held);
    json.Field("acting", facts.acting);
    if (facts.in_margin) json.Field("overRequestOnly", true);
    if (facts.met && facts.since) json.Field("since", FormatInstant(*facts.since));
    DurationField("metFor", facts.met_for, json);
    if (!facts.threshold.IsHard()) {
      json.Field("gracePeriod", FormatDuration(facts.threshold.grace_period));
      DurationField("graceLeft", facts.grace_left, json);
    }
    DurationField("timeTo", facts.time_to, json);
  });
}

void WriteThresholds(std::span<const ThresholdFacts> thresholds, JsonWriter& json) {
  json.Array("thresholds", [&] {
    for (const ThresholdFacts& facts : thresholds) WriteThreshold(facts, json);
  });
}

void WriteRankedPod(const RankedPod& pod, JsonWriter& json) {
  json.Object([&] {
    json.Field("place", pod.place);
    json.Field("namespace", pod.pod.namespace_);
    json.Field("name", pod.pod.name);
    json.Field("uid", pod.pod.uid);
    json.Field("qosClass", NameOf(pod.qos));
    json.Field("priority", pod.priority);
    json.Field("measured", pod.measured);
    json.Field("exceedsRequest", pod.exceeds_request);
    json.Field("usage", pod.usage);
    json.Field("request", pod.request);
    if (pod.measured) json.Field("usageMinusRequest", pod.excess);
    json.Field("critical", pod.critical);
    json.Field("mayGo", pod.may_go);
    if (pod.keeps_to_request) json.Field("keepsToRequest", true);
    json.Field("chosen", pod.chosen);
    if (!pod.decided_by.empty()) json.Field("decidedBy", pod.decided_by);
  });
}

void WriteOrder(const PodOrder& order, JsonWriter& json) {
  json.Field("signal", NameOf(order.signal));
  json.Field("unit", UnitNameOf(order.signal));
  json.Field("total", order.total);
  json.Array("pods", [&] {
    for (const RankedPod& pod : order.pods) WriteRankedPod(pod, json);
  });
}

void WriteHolders(const Holders& holders, JsonWriter& json) {
  json.Object([&] {
    if (ResourceOf(holders.signal) != Resource::kMemory)
      json.Field("signal", NameOf(holders.signal));
    json.Field("all", holders.all);
    for (const auto* parts : {&holders.parts, &holders.within}) {
      for (const HeldPart& part : *parts) json.Field(part.key, part.amount);
    }
    if (!holders.host_paths.empty()) {
      json.Array("hostPaths", [&] {
        for (const std::string& pod : holders.host_paths) json.String(pod);
      });
    }
    json.Field("text", TextOf(holders));
  });
}

void WriteLimits(std::span<const StorageLimitFacts> limits, JsonWriter& json) {
  if (limits.empty()) return;
  json.Array("limits", [&] {
    for (const StorageLimitFacts& limit : limits) {
      json.Object([&] {
        WritePod("pod", limit.pod, json);
        json.Field("of", NameOf(limit.kind));
        if (!limit.name.empty()) json.Field("name", limit.name);
        json.Field("used", limit.used);
        json.Field("limit", limit.limit);
        json.Field("broken", limit.broken);
      });
    }
  });
}

}  // namespace jettison
