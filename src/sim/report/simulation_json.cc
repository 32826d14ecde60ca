#include <fmt/format.h>

#include "core/json/json_writer.h"
#include "sim/report/report_json.h"
#include "sim/report/report_words.h"
#include "sim/report/simulation_report.h"

namespace jettison {
namespace {

constexpr std::string_view kApiVersion = "jettison.io/v1alpha1";

void PutWhen(const TimeBounds& when, JsonWriter& json) {
  json.Field("at", FormatInstant(when.at));
  json.Field("earliest", FormatInstant(when.earliest));
  json.Field("latest", FormatInstant(when.latest));
}

void PutFact(const RecordedFact& fact, JsonWriter& json) {
  json.Object([&] {
    json.Field("at", FormatInstant(fact.at));
    json.Field("pod", fact.pod);
    json.Field("uid", fact.uid);
  });
}

void PutEviction(const SimulatedEviction& eviction, JsonWriter& json) {
  json.Object([&] {
    PutWhen(eviction.when, json);
    json.Field("pod", eviction.pod);
    json.Field("uid", eviction.uid);
    if (eviction.limit) {
      json.Field("limit", LimitName(*eviction.limit));
    } else {
      json.Field("signal", NameOf(eviction.signal));
      json.Field("kind", eviction.soft ? "soft" : "hard");
      json.Field("available", eviction.available);
      json.Field("line", eviction.line);
    }
    json.Field("memory", eviction.held);
    json.Field("asRecorded", eviction.as_recorded);
    json.Field("fromRecord", eviction.from_record);
  });
}

template <typename Put>
std::string Document(std::string_view kind, const std::vector<SimulationReport>& reports, Put put) {
  std::string out;
  JsonWriter json(out);
  json.Object([&] {
    json.Field("apiVersion", kApiVersion);
    json.Field("kind", kind);
    json.Array("recordings", [&] {
      for (const SimulationReport& report : reports) {
        json.Object([&] {
          json.Field("recording", report.recording);
          PutFacts(report.facts, json);
          PutCalibration(report, json);
          put(report, json);
        });
      }
    });
  });
  out += '\n';
  return out;
}

}  // namespace

void PutFacts(const RecordingFacts& facts, JsonWriter& json) {
  if (!facts.node.empty()) json.Field("node", facts.node);
  if (facts.from) json.Field("from", FormatInstant(*facts.from));
  if (facts.to) json.Field("to", FormatInstant(*facts.to));
  json.Field("passes", facts.passes);
  json.Field("pods", facts.pods);
  json.Field("longestStepSeconds", SecondsOf(facts.longest_step));
  json.Field("unknownSeconds", SecondsOf(facts.unknown));
  json.Field("flawCount", facts.flaw_count);
  json.Array("flaws", [&] {
    for (const RecordingFlaw& flaw : facts.flaws) {
      json.Object([&] {
        json.Field("at", FormatInstant(flaw.at));
        json.Field("what", flaw.what);
      });
    }
  });
  json.Field("noteCount", facts.note_count);
  json.Array("notes", [&] {
    for (const std::string& note : facts.notes) json.String(note);
  });
  json.Array("evictions", [&] {
    for (const RecordedFact& fact : facts.evictions) PutFact(fact, json);
  });
  json.Array("oomKills", [&] {
    for (const RecordedFact& fact : facts.oom_kills) PutFact(fact, json);
  });
}

void PutOutcome(const PolicyOutcome& outcome, JsonWriter& json) {
  json.Object([&] {
    json.Field("name", outcome.name);
    json.Field("evictionCount", outcome.evictions.size());
    json.Field("oomKillCount", outcome.oom_kills.size());
    json.Object("conditionSeconds", [&] {
      for (const NodeConditionType type : kAllNodeConditions) {
        json.Field(NameOf(type), SecondsOf(outcome.condition_time[IndexOf(type)]));
      }
    });
    json.Field("keptFreeGibHours", outcome.IdleGibHours());
    json.Field("podSecondsLost", SecondsOf(outcome.pod_time_lost));
    json.Array("evictions", [&] {
      for (const SimulatedEviction& eviction : outcome.evictions) PutEviction(eviction, json);
    });
    json.Array("oomKills", [&] {
      for (const ForeseenOomKill& kill : outcome.oom_kills) {
        json.Object([&] {
          PutWhen(kill.when, json);
          json.Field("pod", kill.pod);
          json.Field("uid", kill.uid);
          json.Field("why", NameOf(kill.why));
        });
      }
    });
  });
}

void PutCalibration(const SimulationReport& report, JsonWriter& json) {
  const Calibration& calibration = report.calibration;
  json.Object("calibration", [&] {
    json.Field("everySeconds", SecondsOf(report.every));
    json.Field("evictions", calibration.truths);
    json.Field("foretold", calibration.said);
    json.Field("found", calibration.found);
    json.Field("insideBounds", calibration.inside);
    json.Field("recall", calibration.Recall());
    json.Field("precision", calibration.Precision());
    json.Field("coverage", calibration.Coverage());
    if (calibration.median_error) {
      json.Field("medianErrorSeconds", SecondsOf(*calibration.median_error));
      json.Field("worstErrorSeconds", SecondsOf(*calibration.worst_error));
    }
  });
}

std::string SimulationJson(const std::vector<SimulationReport>& reports) {
  return Document("Simulation", reports, [](const SimulationReport& report, JsonWriter& json) {
    json.Array("policies", [&] {
      for (const PolicyOutcome& outcome : report.outcomes) PutOutcome(outcome, json);
    });
  });
}

std::string CalibrationJson(const std::vector<SimulationReport>& reports) {
  return Document("Calibration", reports, [](const SimulationReport& report, JsonWriter& json) {
    json.Array("foretold", [&] {
      for (const SimulatedEviction& eviction : report.foretold.evictions) {
        PutEviction(eviction, json);
      }
    });
  });
}

std::string SimulationCsv(const std::vector<SimulationReport>& reports) {
  std::string out =
      "recording,node,policy,evictions,oom_kills,condition_seconds,kept_free_gib_hours,"
      "pod_seconds_lost,recall,precision,coverage\n";
  const auto share = [](const std::optional<double>& each) {
    return each ? fmt::format("{:.4f}", *each) : std::string();
  };
  for (const SimulationReport& report : reports) {
    for (const PolicyOutcome& outcome : report.outcomes) {
      out += fmt::format(
          "{},{},{},{},{},{:.3f},{:.6f},{:.3f},{},{},{}\n", CsvCell(report.recording),
          CsvCell(report.facts.node), CsvCell(outcome.name), outcome.evictions.size(),
          outcome.oom_kills.size(), SecondsOf(ConditionTime(outcome)), outcome.IdleGibHours(),
          SecondsOf(outcome.pod_time_lost), share(report.calibration.Recall()),
          share(report.calibration.Precision()), share(report.calibration.Coverage()));
    }
  }
  return out;
}

}  // namespace jettison
