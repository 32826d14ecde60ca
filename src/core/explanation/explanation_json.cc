#include "core/explanation/explanation_text.h"
#include "core/json/json_writer.h"
#include "core/thresholds/threshold_settings.h"

// The fields of an explanation, type by type.
namespace jettison {
namespace {

constexpr std::string_view kExplanation = "Explanation";

// Times as Go writes them, "1m30s".
std::optional<std::string> TextOf(const std::optional<Duration>& duration) {
  return duration ? std::optional(FormatDuration(*duration)) : std::nullopt;
}

// One object on a line: its kind, what `write` writes, and the same for people.
template <typename Write>
std::string Line(std::string_view kind, std::string_view text, const Write& write) {
  return JsonObject([&](JsonWriter& json) {
           FieldWriter fields(json);
           fields("apiVersion", "jettison.io/v1alpha1");
           fields("kind", kind);
           write(fields);
           fields("text", text);
         }) +
         '\n';
}

}  // namespace

static void VisitFields(FieldWriter& fields, const PodIdentity& pod) {
  if (!pod.name.empty()) {
    fields("namespace", pod.namespace_);
    fields("name", pod.name);
  }
  fields("uid", pod.uid);
}

static void VisitFields(FieldWriter& fields, const SignalFigure& figure) {
  fields("name", figure.key);
  fields("amount", figure.amount);
  fields.IfTrue("subtracted", figure.role == SignalFigure::Role::kSubtracted);
  fields.IfTrue("result", figure.role == SignalFigure::Role::kResult);
}

static void VisitFields(FieldWriter& fields, const SignalReading& reading) {
  fields("name", reading.signal);
  fields("resource", ResourceOf(reading.signal));
  fields("unit", UnitNameOf(reading.signal));
  if (reading.seen) {
    fields("capacity", reading.seen->capacity);
    fields("available", reading.seen->available);
    fields("time", reading.seen->time);
  }
  fields("figures", reading.figures);
}

static void VisitFields(FieldWriter& fields, const ThresholdFacts& facts) {
  const Threshold& threshold = facts.threshold;
  fields("signal", threshold.signal);
  fields("value", ThresholdText(threshold.signal, threshold.value));
  fields.OneOf("kind", threshold.IsHard(), "hard", "soft");
  fields("amount", facts.line);
  if (facts.seen) fields("available", facts.seen->available);
  if (facts.seen) fields("capacity", facts.seen->capacity);
  if (threshold.min_reclaim) {
    fields("minReclaim", ThresholdText(threshold.signal, *threshold.min_reclaim));
  }
  fields("endsAt", facts.end ? facts.end : facts.line);
  fields("met", facts.met);
  fields("heldByMinReclaim", facts.by_min_reclaim);
  fields("acting", facts.acting);
  fields.IfTrue("overRequestOnly", facts.in_margin);
  if (facts.met) fields("since", facts.since);
  fields("metFor", TextOf(facts.met_for));
  if (!threshold.IsHard()) {
    fields("gracePeriod", FormatDuration(threshold.grace_period));
    fields("graceLeft", TextOf(facts.grace_left));
  }
  fields("timeTo", TextOf(facts.time_to));
}

static void VisitFields(FieldWriter& fields, const RankedPod& pod) {
  fields("place", pod.place);
  fields("namespace", pod.pod.namespace_);
  fields("name", pod.pod.name);
  fields("uid", pod.pod.uid);
  fields("qosClass", pod.qos);
  fields("priority", pod.priority);
  fields("measured", pod.measured);
  fields("exceedsRequest", pod.exceeds_request);
  fields("usage", pod.usage);
  fields("request", pod.request);
  if (pod.measured) fields("usageMinusRequest", pod.excess);
  fields("critical", pod.critical);
  fields("mayGo", pod.may_go);
  fields.IfTrue("keepsToRequest", pod.keeps_to_request);
  fields("chosen", pod.chosen);
  fields.UnlessEmpty("decidedBy", pod.decided_by);
}

static void VisitFields(FieldWriter& fields, const PodOrder& order) {
  fields("signal", order.signal);
  fields("unit", UnitNameOf(order.signal));
  fields("total", order.total);
  fields("pods", order.pods);
}

static void VisitFields(FieldWriter& fields, const StorageLimitFacts& limit) {
  fields("pod", limit.pod);
  fields("of", limit.kind);
  fields.UnlessEmpty("name", limit.name);
  fields("used", limit.used);
  fields("limit", limit.limit);
  fields("broken", limit.broken);
}

static void VisitFields(FieldWriter& fields, const EvictedPod& evicted) {
  fields("pod", evicted.pod);
  const EvictionOrder& order = evicted.record.order;
  fields("gracePeriodSeconds", order.grace_period_seconds);
  fields("reason", order.reason);
  fields("message", order.message);
  fields("annotations", order.annotations);
  fields("killError", evicted.record.kill_error);
  fields.UnlessEmpty("counted", evicted.counted);
}

static void VisitFields(FieldWriter& fields, const ReclaimFacts& reclaim) {
  fields("attempted", reclaim.attempted);
  fields("errors", reclaim.errors);
  fields("availableBefore", reclaim.available_before);
  fields("availableAfter", reclaim.available_after);
  fields("underWay", reclaim.under_way);
  fields("relieved", reclaim.relieved);
}

static void VisitFields(FieldWriter& fields, const OfPod<SurvivorRecord>& survivor) {
  fields("pod", survivor.pod);
  fields("since", survivor.record.since);
  fields("kills", survivor.record.kills);
}

static void VisitFields(FieldWriter& fields, const OfPod<StaleDiskRecord>& stale) {
  fields("pod", stale.pod);
  fields("measuredAt", stale.record.measured_at);
}

static void VisitFields(FieldWriter& fields, const OfPod<EvictionPause>& pause) {
  fields("pod", pause.pod);
  fields("reason", pause.record.reason);
  fields("until", pause.record.until);
}

static void VisitFields(FieldWriter& fields, const OfPod<SparedPod>& spared) {
  fields("pod", spared.pod);
  fields("until", spared.record.until);
  fields("why", spared.record.why);
}

static void VisitFields(FieldWriter& fields, const OfPod<EarlyKill>& each) {
  fields("pod", each.pod);
  fields("at", each.record.at);
  fields("text", TextOf(each.record));
}

static void VisitFields(FieldWriter& fields, const Holders& holders) {
  if (ResourceOf(holders.signal) != Resource::kMemory) fields("signal", holders.signal);
  fields("all", holders.all);
  for (const auto* parts : {&holders.parts, &holders.within}) {
    for (const HolderPart& part : *parts) fields(part.key, part.amount);
  }
  fields("text", TextOf(holders));
}

static void VisitFields(FieldWriter& fields, const Otherwise& otherwise) {
  fields("change", otherwise.change);
  fields.UnlessEmpty("pod", otherwise.pod);
  if (otherwise.by != 0) fields("by", otherwise.by);
  fields("to", otherwise.to);
  fields("outcome", otherwise.outcome);
  fields.UnlessEmpty("victim", otherwise.victim);
  fields("signal", otherwise.signal);
  fields.IfTrue("afterReclaim", otherwise.after_reclaim);
  fields("text", otherwise.text);
}

static void VisitFields(FieldWriter& fields, const PassExplanation& explanation) {
  std::vector<NodeConditionType> conditions;
  for (const NodeConditionType type : kAllNodeConditions) {
    if (explanation.conditions.Has(type)) conditions.push_back(type);
  }
  fields("at", explanation.at);
  if (!explanation.hypothetical) fields("pass", explanation.pass);
  fields.IfTrue("dryRun", explanation.dry_run);
  fields("summary", HeadlineOf(explanation));
  fields("outcome", explanation.outcome);
  fields("conditions", conditions);
  fields("signal", explanation.signal);
  if (const auto* acted_for = explanation.ActedFor()) fields("threshold", *acted_for);
  fields("thresholds", explanation.thresholds);
  if (!explanation.reclaim.attempted.empty()) fields("reclaim", explanation.reclaim);
  for (const Holders& holders : explanation.holders) {
    const bool of_memory = ResourceOf(holders.signal) == Resource::kMemory;
    fields(of_memory ? "memoryHeld" : "diskHeld", holders);
  }
  fields("pause", explanation.pause);
  fields.UnlessEmpty("spared", explanation.spared);
  fields.UnlessEmpty("earlyKills", explanation.early_kills);
  fields.UnlessEmpty("limits", explanation.limits);
  fields("ranking", explanation.order);
  fields.UnlessEmpty("staleDisk", explanation.stale_disk);
  fields("evicted", explanation.evicted);
  fields.UnlessEmpty("survivors", explanation.survivors);
  fields("otherwise", explanation.otherwise);
}

static void VisitFields(FieldWriter& fields, const PodPlace& place) {
  fields("signal", place.signal);
  fields("unit", UnitNameOf(place.signal));
  fields("total", place.total);
  fields("self", place.self);
  fields("before", place.before);
  fields("after", place.after);
  fields("moreUsageToBeFirst", place.more_usage);
  fields("lessUsageNotToBeFirst", place.less_usage);
}

static void VisitFields(FieldWriter& fields, const PodExplanation& explanation) {
  fields("at", explanation.at);
  fields("pod", explanation.pod);
  fields("qosClass", explanation.qos);
  fields("priority", explanation.priority);
  fields("mayBeEvicted", explanation.protected_by.empty());
  fields.UnlessEmpty("protectedBy", explanation.protected_by);
  fields.UnlessEmpty("activity", explanation.activity);
  fields("places", explanation.places);
  fields.UnlessEmpty("limits", explanation.limits);
  fields("evictions", explanation.evictions);
}

std::string JsonOf(const PassExplanation& explanation) {
  return Line(kExplanation, TextOf(explanation), [&](FieldWriter& fields) {
    fields.OneOf("about", explanation.subject.has_value(), "eviction", "pass");
    fields.UnlessEmpty("id", explanation.id);
    fields("pod", explanation.subject);
    VisitFields(fields, explanation);
  });
}

std::string JsonOf(const NodeExplanation& explanation) {
  return Line(kExplanation, TextOf(explanation), [&](FieldWriter& fields) {
    fields("about", "node");
    fields("waitingForCleanup", explanation.waiting_for_cleanup);
    VisitFields(fields, explanation.pass);
    fields("signals", explanation.signals);
    fields("first", explanation.first);
  });
}

std::string JsonOf(const PodExplanation& explanation) {
  return Line(kExplanation, TextOf(explanation), [&](FieldWriter& fields) {
    fields("about", "pod");
    VisitFields(fields, explanation);
  });
}

std::string JsonOf(const PodOrder& order, Instant at) {
  return Line("Ranking", TextOf(order), [&](FieldWriter& fields) {
    fields("at", at);
    VisitFields(fields, order);
  });
}

}  // namespace jettison
