#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/explanation/explanation.h"
#include "core/json/json_writer.h"
#include "core/model/signal.h"
#include "core/units/duration.h"
#include "sim/explain_now.h"
#include "view/snapshot.h"

namespace jettison {

// What people look at, gathered from a snapshot into one value: `jettison status`, `jettison top`
// and the dashboard read it as JSON (OverviewJson). docs/overview.md has every field.

// A threshold as it stands. Amounts are in the unit of its signal.
struct OverviewThreshold {
  bool hard = true;
  std::string value;                   // as configured: "100Mi", "10%"
  std::optional<std::int64_t> amount;  // what that is; absent: a share of an unknown capacity
  std::string min_reclaim;             // as configured; empty: none
  Duration grace_period{0};
  bool met = false;
  bool overdue = false;
  std::optional<Instant> since;     // met: first observed then
  std::optional<Duration> time_to;  // not met: until it is, at the present pace
};

// A signal that has thresholds. Bytes, inodes, process ids, or hundredths of a percent of the time
// that are not lost to stalls.
struct OverviewSignal {
  Signal signal = Signal::kMemoryAvailable;
  std::optional<std::int64_t> available;  // absent: not measured
  std::optional<std::int64_t> capacity;
  std::optional<std::int64_t> trend_per_second;  // of what is available; negative: it shrinks
  std::vector<OverviewThreshold> thresholds;     // hard first, then by amount
};

struct OverviewCondition {
  std::string type;
  bool status = false;
  Instant since;
  std::string reason;
  std::string message;
};

struct OverviewTaint {
  std::string key;
  std::string effect;
};

struct OverviewPod {
  std::string namespace_;
  std::string name;
  std::string uid;
  std::optional<std::int64_t> place;  // in the order of eviction, from 1; absent: not evicted
  std::string qos;
  std::int32_t priority = 0;
  bool critical = false;
  std::string protection;                    // "none", as NameOf(Protection)
  std::string source;                        // "own", as NameOf(PodOrigin)
  std::string activity;                      // "running", as NameOf(PodActivity)
  std::string phase;                         // "Running", as NameOf(PodPhase)
  std::string reason;                        // of its status; often empty
  std::optional<std::int64_t> memory_bytes;  // its working set
  std::int64_t request_bytes = 0;            // of memory
  std::optional<std::int64_t> processes;
  std::optional<std::int64_t> ephemeral_bytes;
  bool over_request = false;           // of what is ranked for
  std::optional<std::int64_t> excess;  // usage minus request of that; absent where not ranked
  std::int64_t evictions = 0;          // since its manifest was added
  // When an evicted pod is started again at the earliest; absent: not known, or it is not evicted.
  std::optional<Instant> comes_back_at;
  // Why not sooner: "back-off", "MemoryPressure", "threshold met", or the pod of higher priority
  // that returns first, "namespace/name". Empty: it is not evicted.
  std::string comes_back_after;
  // What its first container that cannot run waits for, or why the pod cannot be made:
  // "ErrImagePull" and a sentence. Empty: nothing.
  std::string waiting_reason;
  std::string waiting_message;
  std::string refused_for;               // what admission refuses it for; empty: nothing
  std::optional<Instant> refused_until;  // at the earliest; absent: not refused, or not known
  std::string why;  // it goes before the next one: the deciding field; empty for the last
};

// Equal events are one, with a count.
struct OverviewEvent {
  Instant at;  // the last time
  std::int64_t count = 1;
  std::string type;    // "Normal", "Warning"
  std::string object;  // "node", or "namespace/name" of a pod
  std::string reason;
  std::string message;
  std::string refused_for;  // a pod was not let in, for this; empty: it is about something else
};

struct OverviewPass {
  Instant at;
  std::string acting_for;                  // a signal; empty: nothing was acted for
  std::vector<std::string> evictions;      // UIDs
  std::vector<std::string> reclaim_steps;  // tried: "containers", "images"
  bool reclaim_under_way = false;
  bool relieved_by_reclaim = false;
};

struct Overview {
  Instant at;
  std::string node;
  std::string version;
  Instant started_at;
  bool dry_run = false;
  std::string phase;  // "monitoring", "waiting for clean-up", "reclaim under way"
  // What holds the memory, where it is short and most of it is not held by pods that may be
  // evicted; otherwise empty.
  std::string memory_held;
  std::string disk_held;  // the same for a disk: its bytes or inodes
  // Which pod's eviction waits, until when and why; empty: none.
  std::string eviction_waits;
  // Why the agent's state is not kept in its root; empty: it is.
  std::string state_problem;
  std::string limits_problem;    // as Snapshot::limits_error
  std::string loop_problem;      // as Snapshot::loop_error
  std::string threshold_notice;  // what is unusual about a threshold; empty: nothing
  // Pods that run and cannot be guarded, with the reason: a sentence each.
  std::vector<std::string> not_guarded;
  std::vector<OverviewCondition> conditions;
  std::vector<OverviewTaint> taints;
  std::vector<OverviewSignal> signals;  // in the order of Signal
  Signal nearest = Signal::kMemoryAvailable;
  Signal ranked_for = Signal::kMemoryAvailable;
  std::vector<OverviewPod> pods;  // those with a place, by it; then the others by name
  std::optional<Instant> pods_measured_at;
  std::vector<OverviewEvent> events;  // the last 50, newest last
  std::uint64_t passes = 0;
  std::optional<OverviewPass> last_pass;
};

// What a pass did, from its report.
[[nodiscard]] OverviewPass OverviewPassOf(const CycleReport& report);

// `ranked_for`: absent: the signal nearest to its threshold.
[[nodiscard]] Overview OverviewOf(const Snapshot& snapshot, std::optional<Signal> ranked_for = {});

// The most urgent signal whose threshold is met; where none is, the one that has used up the
// largest share of what lies before a threshold; memory.available where nothing is known.
[[nodiscard]] Signal NearestSignal(const std::vector<ThresholdView>& thresholds);

// The node as a snapshot shows it, for explanations: pods that run and have been measured. The
// snapshot must be of an agent that has made a pass.
[[nodiscard]] NodeNow NodeNowOf(const Snapshot& snapshot);

// The pods in the order in which a pass under pressure on that signal would rank them, by the
// figures of the snapshot: first the pods that may be evicted, in the order of eviction.
// Then, without a place, the pods that are not: those that are critical, that (for I/O) have waited
// for no disk, that have not been measured yet, and that use nothing; each by namespace and name.
[[nodiscard]] std::vector<OverviewPod> PodsInOrder(const Snapshot& snapshot, Signal signal);

// The overview as JSON: /api/v1/overview.
[[nodiscard]] std::string OverviewJson(const Overview& overview);

// The fields as they are written and as the program's commands read them, in their order.
// docs/overview.md has every one.

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
