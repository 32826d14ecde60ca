#pragma once

#include "core/json/json_writer.h"
#include "sim/report/simulation_report.h"

namespace jettison {

// The wire forms of a simulation, as core/json/json_writer.h has them: of a document, and of the
// lines of a shard.

template <typename Archive, FormOf<NamedSetting> T>
void VisitFields(Archive& fields, T& setting) {
  fields("name", setting.name);
  fields.UnlessEmpty("value", setting.value);
}

template <typename Archive, FormOf<FleetShard> T>
void VisitFields(Archive& fields, T& shard) {
  fields("index", shard.index);
  fields("count", shard.count);
}

template <typename Archive, FormOf<SimulationHead> T>
void VisitFields(Archive& fields, T& head) {
  fields("version", head.version);
  fields("shard", head.shard);
  fields("options", head.options);
  fields("tried", head.policies);
  fields("recordingCount", head.recordings);
  fields("xxh128", head.hash);
}

template <typename Archive, FormOf<SimulatedInput> T>
void VisitFields(Archive& fields, T& input) {
  fields("recording", input.name);
  fields("bytes", input.bytes);
  fields("unread", input.unread);
  fields("faults", input.faults);
}

template <typename Archive, FormOf<RecordedFact> T>
void VisitFields(Archive& fields, T& fact) {
  fields("at", fact.at);
  fields("pod", fact.pod);
  fields("uid", fact.uid);
}

template <typename Archive, FormOf<RecordingFlaw> T>
void VisitFields(Archive& fields, T& flaw) {
  fields("at", flaw.at);
  fields("what", flaw.what);
}

template <typename Archive, FormOf<RecordingFacts> T>
void VisitFields(Archive& fields, T& facts) {
  fields.UnlessEmpty("node", facts.node);
  fields("from", facts.from);
  fields("to", facts.to);
  fields("passes", facts.passes);
  fields("pods", facts.pods);
  fields("longestStepSeconds", facts.longest_step);
  fields("unknownSeconds", facts.unknown);
  fields("flawCount", facts.flaw_count);
  fields("flaws", facts.flaws);
  fields("noteCount", facts.note_count);
  fields("notes", facts.notes);
  fields("evictions", facts.evictions);
  fields("oomKills", facts.oom_kills);
}

// What is told of it follows from the recorded evictions and those that were foretold.
template <typename Archive, FormOf<Calibration> T>
void VisitFields(Archive& fields, T& calibration) {
  fields("everySeconds", calibration.every);
  fields.Told("evictions", calibration.truths);
  fields.Told("foretold", calibration.said);
  fields.Told("notKnown", calibration.unknown);
  fields.Told("found", calibration.found);
  fields.Told("insideBounds", calibration.inside);
  fields.Told("recall", calibration.Recall());
  fields.Told("precision", calibration.Precision());
  fields.Told("coverage", calibration.Coverage());
  fields.Told("medianErrorSeconds", calibration.MedianError());
  fields.Told("worstErrorSeconds", calibration.WorstError());
}

template <typename Archive, FormOf<TimeBounds> T>
void VisitFields(Archive& fields, T& when) {
  fields("at", when.at);
  fields("earliest", when.earliest);
  fields("latest", when.latest);
}

template <typename Archive, FormOf<SimulatedEviction> T>
void VisitFields(Archive& fields, T& eviction) {
  VisitFields(fields, eviction.when);
  fields("pod", eviction.pod);
  fields("uid", eviction.uid);
  fields("limit", eviction.limit);
  if (!eviction.limit) {
    fields("signal", eviction.signal);
    fields.OneOf("kind", eviction.soft, "soft", "hard");
    fields("available", eviction.available);
    fields("line", eviction.line);
  }
  fields.Told("reason", ReasonText(eviction));
  fields("memory", eviction.held);
  fields("asRecorded", eviction.as_recorded);
  fields("fromRecord", eviction.from_record);
}

template <typename Archive, FormOf<ForeseenOomKill> T>
void VisitFields(Archive& fields, T& kill) {
  VisitFields(fields, kill.when);
  fields("pod", kill.pod);
  fields("uid", kill.uid);
  fields("why", kill.why);
}

template <typename Archive, FormOf<ConditionTimes> T>
void VisitFields(Archive& fields, T& times) {
  for (const NodeConditionType type : kAllNodeConditions) {
    fields(NameOf(type), times[IndexOf(type)]);
  }
}

// What a policy costs, without its evictions one by one.
template <typename Archive, FormOf<PolicyOutcome> T>
void VisitCosts(Archive& fields, T& outcome) {
  fields("name", outcome.name);
  fields.Told("evictionCount", outcome.evictions.size());
  fields.Told("oomKillCount", outcome.oom_kills.size());
  fields("conditionSeconds", outcome.condition_time);
  fields("keptFreeByteSeconds", outcome.idle_byte_seconds);
  fields.Told("keptFreeGibHours", outcome.IdleGibHours());
  fields("podSecondsLost", outcome.pod_time_lost);
}

template <typename Archive, FormOf<PolicyOutcome> T>
void VisitFields(Archive& fields, T& outcome) {
  VisitCosts(fields, outcome);
  fields("evictions", outcome.evictions);
  fields("oomKills", outcome.oom_kills);
}

template <typename Archive, FormOf<SimulationReport> T>
void VisitFields(Archive& fields, T& report) {
  fields.Told("recording", report.recording());
  fields("inputs", report.inputs);
  fields.UnlessEmpty("failure", report.failure);
  VisitFields(fields, report.facts);
  fields("calibration", report.calibration);
  fields("foretold", report.foretold.evictions);
  fields("policies", report.outcomes);
}

}  // namespace jettison
