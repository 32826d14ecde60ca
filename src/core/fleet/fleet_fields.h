#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/fleet/fleet_manifest.h"
#include "core/fleet/fleet_node.h"
#include "core/json/field_writer.h"

namespace jettison {

// The wire forms of a part, as core/json/field_writer.h has them. Lengths of time are whole
// nanoseconds.

template <typename Archive, FormOf<FleetOption> T>
void VisitFields(Archive& fields, T& option) {
  fields("name", option.name);
  fields("value", option.value);
}

template <typename Archive, FormOf<FleetShard> T>
void VisitFields(Archive& fields, T& shard) {
  fields("index", shard.index);
  fields("count", shard.count);
}

template <typename Archive, FormOf<FleetInput> T>
void VisitFields(Archive& fields, T& input) {
  fields("recording", input.name);
  fields("bytes", input.bytes);
  fields.UnlessEmpty("xxh128", input.hash);
  fields("unread", input.unread);
  fields("faults", input.faults);
}

template <typename Archive, FormOf<FleetCalibration> T>
void VisitFields(Archive& fields, T& calibration) {
  fields("evictions", calibration.evictions);
  fields("foretold", calibration.foretold);
  fields("found", calibration.found);
  fields("insideBounds", calibration.inside);
  for (std::size_t i = 0; i < FleetCalibration::kErrorBounds.size(); ++i) {
    fields("errorsUpTo" + FormatDuration(FleetCalibration::kErrorBounds[i]), calibration.errors[i]);
  }
  fields("errorsBeyond", calibration.errors.back());
}

template <typename Archive, FormOf<PolicySums> T>
void VisitFields(Archive& fields, T& sums) {
  fields("evictions", sums.evictions);
  fields("oomKills", sums.oom_kills);
  for (const NodeConditionType type : kAllNodeConditions) {
    fields(fmt::format("{}Nanoseconds", NameOf(type)), sums.condition_nanoseconds[IndexOf(type)]);
  }
  fields("keptFreeByteSeconds", sums.kept_free_byte_seconds);
  fields("podNanosecondsLost", sums.pod_nanoseconds_lost);
}

template <typename Archive, FormOf<FleetEviction> T>
void VisitFields(Archive& fields, T& eviction) {
  fields("at", eviction.at);
  fields("policy", eviction.policy);
  fields("pod", eviction.pod);
  fields("uid", eviction.uid);
  fields("earliest", eviction.earliest);
  fields("latest", eviction.latest);
  fields.UnlessEmpty("limit", eviction.limit);
  fields("signal", eviction.signal);
  fields("soft", eviction.soft);
  fields("available", eviction.available);
  fields("line", eviction.line);
  fields("held", eviction.held);
  fields("asRecorded", eviction.as_recorded);
  fields("fromRecord", eviction.from_record);
}

template <typename Archive, FormOf<FleetOomKill> T>
void VisitFields(Archive& fields, T& kill) {
  fields("at", kill.at);
  fields("policy", kill.policy);
  fields("pod", kill.pod);
  fields("uid", kill.uid);
  fields("earliest", kill.earliest);
  fields("latest", kill.latest);
  fields("why", kill.why);
}

template <typename Archive, FormOf<FleetNode> T>
void VisitFields(Archive& fields, T& node) {
  fields("node", node.node);
  fields("recordings", node.inputs);
  fields.UnlessEmpty("failure", node.failure);
  fields("notes", node.notes);
  fields("from", node.from);
  fields("to", node.to);
  fields("passes", node.passes);
  fields("pods", node.pods);
  fields("flaws", node.flaws);
  fields("unknownNanoseconds", node.unknown_nanoseconds);
  fields("recordedEvictions", node.recorded_evictions);
  fields("recordedOomKills", node.recorded_oom_kills);
  fields("calibration", node.calibration);
  fields("policies", node.policies);
  fields("evictions", node.evictions);
  fields("oomKills", node.oom_kills);
}

}  // namespace jettison
