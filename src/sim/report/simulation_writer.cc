#include <fmt/format.h>

#include <optional>

#include "core/json/json_writer.h"
#include "sim/report/report_fields.h"
#include "sim/report/report_words.h"
#include "sim/report/simulation_report.h"

namespace jettison {
namespace {

using Form = SimulationWriting::Form;
using Rows = SimulationWriting::Rows;

std::string InstantCell(const std::optional<Instant>& at) {
  return at ? FormatInstant(*at) : "";
}

std::string ShareCell(const std::optional<double>& share) {
  return share ? fmt::format("{:.4f}", *share) : "";
}

std::string_view ColumnsOf(Rows rows) {
  switch (rows) {
    case Rows::kPolicies:
      return "policy,evictions,nodes_with_evictions,oom_kills,condition_seconds,"
             "kept_free_gib_hours,pod_seconds_lost\n";
    case Rows::kNodes:
      return "recording,node,policy,evictions,oom_kills,condition_seconds,kept_free_gib_hours,"
             "pod_seconds_lost,recall,precision,coverage,from,to,passes,pods,recorded_evictions,"
             "damaged\n";
    case Rows::kEvictions:
      return "node,at,earliest,latest,policy,pod,uid,signal,limit,kind,available,line,held,"
             "as_recorded,from_record\n";
  }
  __builtin_unreachable();
}

std::string NodeRows(const SimulationReport& report) {
  const RecordingFacts& facts = report.facts;
  const Calibration& calibration = report.calibration;
  const std::string recording = CsvCell(std::string(report.recording()));
  std::string rows;
  for (const PolicyOutcome& outcome : report.outcomes) {
    rows += fmt::format("{},{},{},{},{},{:.3f},{:.6f},{:.3f},{},{},{},{},{},{},{},{},{}\n",
                        recording, CsvCell(facts.node), CsvCell(outcome.name),
                        outcome.evictions.size(), outcome.oom_kills.size(),
                        SecondsOf(outcome.condition_time.Sum()), outcome.IdleGibHours(),
                        SecondsOf(outcome.pod_time_lost), ShareCell(calibration.Recall()),
                        ShareCell(calibration.Precision()), ShareCell(calibration.Coverage()),
                        InstantCell(facts.from), InstantCell(facts.to), facts.passes, facts.pods,
                        facts.evictions.size(), report.IsDamaged());
  }
  if (!rows.empty()) return rows;
  return fmt::format("{},{},,,,,,,,,,,,,,,true\n", recording, CsvCell(facts.node));
}

std::string EvictionRows(const SimulationReport& report) {
  std::string rows;
  for (const PolicyOutcome& outcome : report.outcomes) {
    for (const SimulatedEviction& eviction : outcome.evictions) {
      const bool by_signal = !eviction.limit;
      const std::string_view kind = eviction.soft ? "soft" : "hard";
      rows += fmt::format(
          "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", CsvCell(report.facts.node),
          FormatInstant(eviction.when.at), FormatInstant(eviction.when.earliest),
          FormatInstant(eviction.when.latest), CsvCell(outcome.name), CsvCell(eviction.pod),
          CsvCell(eviction.uid), by_signal ? NameOf(eviction.signal) : std::string_view(),
          by_signal ? std::string_view() : NameOf(*eviction.limit),
          by_signal ? kind : std::string_view(), eviction.available, eviction.line, eviction.held,
          eviction.as_recorded, eviction.from_record);
    }
  }
  return rows;
}

std::string PolicyRows(const SimulationHead& head, const SimulationTotals& totals) {
  std::string rows;
  for (std::size_t i = 0; i < totals.policies.size(); ++i) {
    const PolicyTotals& sums = totals.policies[i];
    rows += fmt::format("{},{},{},{},{:.3f},{:.6f},{:.3f}\n", CsvCell(head.policies[i].name),
                        sums.evictions, sums.nodes_with_evictions, sums.oom_kills,
                        sums.condition_seconds, sums.idle_byte_seconds / kByteSecondsOfGibHour,
                        sums.pod_seconds_lost);
  }
  return rows;
}

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
        const PolicyTotals& sums = totals.policies[i];
        json.Object([&] {
          json.Field("name", head.policies[i].name);
          json.Field("nodesWithEvictions", sums.nodes_with_evictions);
          json.Field("evictionCount", sums.evictions);
          json.Field("oomKillCount", sums.oom_kills);
          json.Field("conditionSeconds", sums.condition_seconds);
          json.Field("keptFreeGibHours", sums.idle_byte_seconds / kByteSecondsOfGibHour);
          json.Field("podSecondsLost", sums.pod_seconds_lost);
        });
      }
    });
  });
}

std::string JsonOf(const SimulationHead& head, const std::vector<SimulationReport>& nodes) {
  std::string out = BeginningOf(head, "Simulation") + ",\"recordings\":[";
  for (const SimulationReport& node : nodes) {
    out += &node == nodes.data() ? "\n" : ",\n";
    out += JsonOfReport(node);
  }
  return out + "\n],\"totals\":" + JsonOfTotals(head, TotalsOf(nodes, head.policies.size())) +
         "}\n";
}

std::string CsvOf(const SimulationHead& head, const std::vector<SimulationReport>& nodes,
                  Rows rows) {
  std::string out(ColumnsOf(rows));
  if (rows == Rows::kPolicies) {
    return out + PolicyRows(head, TotalsOf(nodes, head.policies.size()));
  }
  for (const SimulationReport& node : nodes) {
    out += rows == Rows::kNodes ? NodeRows(node) : EvictionRows(node);
  }
  return out;
}

std::string LinesOf(const SimulationHead& head, const std::vector<SimulationReport>& nodes) {
  std::string out = BeginningOf(head, kShardKind) + "}\n";
  for (const SimulationReport& node : nodes) out += JsonOfReport(node) + "\n";
  return out + fmt::format("{{\"end\":{{\"nodes\":{}}}}}\n", nodes.size());
}

}  // namespace

std::string SimulationDocument(const SimulationHead& head,
                               const std::vector<SimulationReport>& nodes,
                               const SimulationWriting& writing) {
  switch (writing.form) {
    case Form::kText: return SimulationText(head, nodes, writing.limits);
    case Form::kJson: return JsonOf(head, nodes);
    case Form::kCsv: return CsvOf(head, nodes, writing.rows);
    case Form::kLines: return LinesOf(head, nodes);
  }
  __builtin_unreachable();
}

}  // namespace jettison
