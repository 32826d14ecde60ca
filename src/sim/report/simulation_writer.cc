#include <fmt/format.h>

#include "core/json/json_writer.h"
#include "sim/report/report_fields.h"
#include "sim/report/simulation_report.h"

namespace jettison {

std::string DifferenceJson(const DifferenceReport& report) {
  std::string out;
  JsonWriter json(out);
  const auto side = [&](std::string_view name, const std::optional<SimulatedEviction>& eviction) {
    if (!eviction) return;
    json.Object(name, [&] {
      WriteFields(eviction->when, json);
      json.Field("reason", ReasonText(*eviction));
    });
  };
  json.Object([&] {
    json.Field("a", report.a_name);
    json.Field("b", report.b_name);
    json.Objects("differences", report.differences, [&](const DifferenceReport::Difference& each) {
      const SimulatedEviction& first = each.a ? *each.a : *each.b;
      json.Field("pod", first.pod);
      json.Field("uid", first.uid);
      side("a", each.a);
      side("b", each.b);
    });
  });
  return out;
}

namespace {

// What a document, or a shard, begins with; without the end of the object.
std::string BeginningOf(const SimulationHead& head, std::string_view kind) {
  std::string out;
  JsonWriter json(out);
  json.Object([&] {
    json.Field("apiVersion", kSimulationApiVersion);
    json.Field("kind", kind);
    WriteFields(head, json);
  });
  out.pop_back();
  return out;
}

std::string JsonOfReport(const SimulationReport& report) {
  return JsonObject([&](JsonWriter& json) {
    WriteFields(report, json);
    json.ArrayUnlessEmpty("differences", [&] {
      for (const DifferenceReport& each : report.differences) json.Json(DifferenceJson(each));
    });
  });
}

std::string JsonOfTotals(const SimulationHead& head, const SimulationTotals& totals) {
  return JsonObject([&](JsonWriter& json) {
    json.Field("nodeCount", totals.nodes);
    json.Field("failedNodeCount", totals.nodes_failed);
    json.Field("recordingCount", totals.recordings);
    json.Field("damagedRecordingCount", totals.recordings_damaged);
    json.Field("bytes", totals.bytes);
    json.Field("passes", totals.passes);
    json.Field("pods", totals.pods);
    json.Field("flawCount", totals.flaws);
    json.Field("unknownSeconds", totals.unknown_seconds);
    json.Field("recordedEvictionCount", totals.recorded_evictions);
    json.Field("recordedOomKillCount", totals.recorded_oom_kills);
    json.Object("calibration", [&] { WriteFields(totals.calibration, json); });
    json.Array("policies", [&] {
      for (std::size_t i = 0; i < totals.policies.size(); ++i) {
        const PolicyCosts& sums = totals.policies[i];
        json.Object([&] {
          json.Field("name", head.policies[i].name);
          json.Field("nodesWithEvictions", sums.nodes_with_evictions);
          json.Field("evictionCount", sums.evictions);
          json.Field("oomKillCount", sums.oom_kills);
          json.Field("conditionSeconds", SecondsOf(sums.condition_time));
          json.Field("keptFreeGibHours", sums.idle_byte_seconds / kByteSecondsOfGibHour);
          json.Field("podSecondsLost", SecondsOf(sums.pod_time_lost));
        });
      }
    });
  });
}

}  // namespace

std::string SimulationJson(const SimulationHead& head, const std::vector<SimulationReport>& nodes) {
  std::string out = BeginningOf(head, "Simulation") + ",\"recordings\":[";
  for (const SimulationReport& node : nodes) {
    out += &node == nodes.data() ? "\n" : ",\n";
    out += JsonOfReport(node);
  }
  return out + "\n],\"totals\":" + JsonOfTotals(head, TotalsOf(nodes, head.policies.size())) +
         "}\n";
}

std::string ShardEnd(std::size_t nodes) {
  return fmt::format("{{\"end\":{{\"nodes\":{}}}}}", nodes);
}

std::string ShardText(const SimulationHead& head, const std::vector<SimulationReport>& nodes) {
  std::string out = BeginningOf(head, kShardKind) + "}\n";
  for (const SimulationReport& node : nodes) out += JsonOfReport(node) + "\n";
  return out + ShardEnd(nodes.size()) + "\n";
}

}  // namespace jettison
