#include <fmt/format.h>

#include "core/fleet/fleet_fields.h"
#include "core/json/json_writer.h"
#include "sim/fleet/fleet_report.h"

namespace jettison {
namespace {

void PutNumber(std::string_view name, Int128 number, JsonWriter& json) {
  json.Key(name);
  json.Json(fmt::format("{}", number));
}

void PutSeconds(std::string_view name, Int128 nanoseconds, JsonWriter& json) {
  json.Key(name);
  json.Json(ExactSeconds(nanoseconds));
}

template <typename Sums>
void PutSums(const Sums& sums, JsonWriter& json) {
  json.Field("evictionCount", sums.evictions);
  json.Field("oomKillCount", sums.oom_kills);
  json.Object("conditionSeconds", [&] {
    for (const NodeConditionType type : kAllNodeConditions) {
      PutSeconds(NameOf(type), sums.condition_nanoseconds[IndexOf(type)], json);
    }
  });
  PutNumber("keptFreeByteSeconds", sums.kept_free_byte_seconds, json);
  PutSeconds("podSecondsLost", sums.pod_nanoseconds_lost, json);
}

void PutTotals(const FleetReport& report, JsonWriter& json) {
  const FleetTotals& totals = report.totals;
  json.Field("nodeCount", totals.nodes);
  json.Field("failedNodeCount", totals.nodes_failed);
  json.Field("recordingCount", totals.recordings);
  json.Field("damagedRecordingCount", totals.recordings_damaged);
  json.Field("bytes", totals.bytes);
  json.Field("passes", totals.passes);
  json.Field("pods", totals.pods);
  json.Field("flawCount", totals.flaws);
  PutSeconds("unknownSeconds", totals.unknown_nanoseconds, json);
  json.Field("recordedEvictionCount", totals.recorded_evictions);
  json.Field("recordedOomKillCount", totals.recorded_oom_kills);
  json.Key("calibration");
  WriteForm(totals.calibration, json);
  json.Array("policies", [&] {
    for (std::size_t i = 0; i < totals.policies.size(); ++i) {
      const FleetPolicy& policy = report.manifest.policies[i];
      json.Object([&] {
        json.Field("name", policy.name);
        if (!policy.definition.empty()) json.Key("definition"), json.Json(policy.definition);
        json.Field("nodesWithEvictions", totals.policies[i].nodes_with_evictions);
        PutSums(totals.policies[i], json);
      });
    }
  });
}

std::string BeginningOf(const FleetReport& report) {
  std::string out;
  JsonWriter json(out);
  json.Object([&] {
    json.Field("apiVersion", "jettison.io/v1alpha1");
    json.Field("kind", "FleetSimulation");
    json.Field("version", report.manifest.version);
    FieldWriter fields(json);
    fields("options", report.manifest.options);
    json.Object("fleet", [&] {
      json.Field("recordings", report.manifest.fleet_recordings);
      json.Field("xxh128", report.manifest.fleet_hash);
    });
    json.ArrayUnlessEmpty("missingShards", [&] {
      for (const std::uint64_t shard : report.missing_shards) json.Number(shard);
    });
    PutTotals(report, json);
  });
  out.pop_back();  // the object continues
  return out + ",\"nodes\":[";
}

std::string JsonOfNode(const FleetNode& node) {
  std::string out;
  JsonWriter json(out);
  FieldWriter fields(json);
  json.Object([&] {
    json.Field("node", node.node);
    fields("recordings", node.inputs);
    if (!node.failure.empty()) json.Field("failure", node.failure);
    fields("notes", node.notes);
    fields("from", node.from);
    fields("to", node.to);
    json.Field("passes", node.passes);
    json.Field("pods", node.pods);
    json.Field("flawCount", node.flaws);
    PutSeconds("unknownSeconds", node.unknown_nanoseconds, json);
    json.Field("recordedEvictionCount", node.recorded_evictions);
    json.Field("recordedOomKillCount", node.recorded_oom_kills);
    fields("calibration", node.calibration);
    json.Array("policies", [&] {
      for (const PolicySums& sums : node.policies) json.Object([&] { PutSums(sums, json); });
    });
    fields("evictions", node.evictions);
    fields("oomKills", node.oom_kills);
  });
  return out;
}

}  // namespace

bool WriteFleetJson(const FleetReport& report, const VisitNodes& nodes, const PutPiece& put) {
  if (!put(BeginningOf(report))) return false;
  bool is_first = true;
  const bool visited = nodes([&](const FleetNode& node) {
    const bool separated = std::exchange(is_first, false) || put(",");
    return separated && put("\n") && put(JsonOfNode(node));
  });
  return visited && put("\n]}\n");
}

}  // namespace jettison
