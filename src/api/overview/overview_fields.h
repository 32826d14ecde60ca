#pragma once

#include "api/overview/overview.h"
#include "core/explanation/explanation.h"
#include "core/json/field_writer.h"
#include "core/model/signal.h"

namespace jettison {

// The fields of the overview as it is written (OverviewJson) and as the program's commands read
// it, in their order. docs/overview.md has every one.

template <typename Archive, FormOf<OverviewThreshold> T>
void VisitFields(Archive& fields, T& threshold) {
  fields.OneOf("kind", threshold.hard, "hard", "soft");
  fields("value", threshold.value);
  fields("amount", threshold.amount);
  fields.UnlessEmpty("minReclaim", threshold.min_reclaim);
  fields("gracePeriodSeconds", threshold.grace_period);
  fields("met", threshold.met);
  fields("overdue", threshold.overdue);
  fields("since", threshold.since);
  fields("timeToSeconds", threshold.time_to);
}

template <typename Archive, FormOf<OverviewSignal> T>
void VisitFields(Archive& fields, T& signal) {
  fields("signal", signal.signal);
  fields.Told("unit", UnitNameOf(signal.signal));
  fields("available", signal.available);
  fields("capacity", signal.capacity);
  fields("trendPerSecond", signal.trend_per_second);
  fields("thresholds", signal.thresholds);
}

template <typename Archive, FormOf<OverviewCondition> T>
void VisitFields(Archive& fields, T& condition) {
  fields("type", condition.type);
  fields.OneOf("status", condition.status, "True", "False");
  fields("since", condition.since);
  fields("reason", condition.reason);
  fields("message", condition.message);
}

template <typename Archive, FormOf<OverviewTaint> T>
void VisitFields(Archive& fields, T& taint) {
  fields("key", taint.key);
  fields("effect", taint.effect);
}

template <typename Archive, FormOf<OverviewPod> T>
void VisitFields(Archive& fields, T& pod) {
  fields("namespace", pod.namespace_);
  fields("name", pod.name);
  fields("uid", pod.uid);
  fields("place", pod.place);
  fields("qos", pod.qos);
  fields("priority", pod.priority);
  fields("critical", pod.critical);
  fields("protection", pod.protection);
  fields("source", pod.source);
  fields("activity", pod.activity);
  fields("phase", pod.phase);
  fields.UnlessEmpty("reason", pod.reason);
  fields("memoryBytes", pod.memory_bytes);
  fields("requestBytes", pod.request_bytes);
  fields("processes", pod.processes);
  fields("ephemeralBytes", pod.ephemeral_bytes);
  fields("overRequest", pod.over_request);
  fields("excess", pod.excess);
  fields("evictions", pod.evictions);
  fields("comesBackAt", pod.comes_back_at);
  fields.UnlessEmpty("comesBackAfter", pod.comes_back_after);
  fields.UnlessEmpty("waitingReason", pod.waiting_reason);
  fields.UnlessEmpty("waitingMessage", pod.waiting_message);
  fields.UnlessEmpty("refusedFor", pod.refused_for);
  fields("refusedUntil", pod.refused_until);
  fields.UnlessEmpty("why", pod.why);
}

template <typename Archive, FormOf<OverviewEvent> T>
void VisitFields(Archive& fields, T& event) {
  fields("at", event.at);
  fields("count", event.count);
  fields("type", event.type);
  fields("object", event.object);
  fields("reason", event.reason);
  fields("message", event.message);
  fields.UnlessEmpty("refusedFor", event.refused_for);
}

template <typename Archive, FormOf<OverviewPass> T>
void VisitFields(Archive& fields, T& pass) {
  fields("at", pass.at);
  fields.UnlessEmpty("actingFor", pass.acting_for);
  fields("evictions", pass.evictions);
  fields("reclaimSteps", pass.reclaim_steps);
  fields("reclaimUnderWay", pass.reclaim_under_way);
  fields("relievedByReclaim", pass.relieved_by_reclaim);
}

template <typename Archive, FormOf<Overview> T>
void VisitFields(Archive& fields, T& overview) {
  fields("at", overview.at);
  fields("node", overview.node);
  fields("version", overview.version);
  fields("startedAt", overview.started_at);
  fields("dryRun", overview.dry_run);
  fields("phase", overview.phase);
  fields.UnlessEmpty("memoryHeld", overview.memory_held);
  fields.UnlessEmpty("diskHeld", overview.disk_held);
  fields.UnlessEmpty("evictionWaits", overview.eviction_waits);
  fields.UnlessEmpty("stateProblem", overview.state_problem);
  fields.UnlessEmpty("limitsProblem", overview.limits_problem);
  fields.UnlessEmpty("loopProblem", overview.loop_problem);
  fields.UnlessEmpty("thresholdNotice", overview.threshold_notice);
  fields("notGuarded", overview.not_guarded);
  fields("conditions", overview.conditions);
  fields("taints", overview.taints);
  fields("signals", overview.signals);
  fields("nearest", overview.nearest);
  fields("rankedFor", overview.ranked_for);
  fields("pods", overview.pods);
  fields("podsMeasuredAt", overview.pods_measured_at);
  fields("events", overview.events);
  fields("passes", overview.passes);
  fields("lastPass", overview.last_pass);
}

}  // namespace jettison
