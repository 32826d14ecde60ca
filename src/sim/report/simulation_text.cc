#include <fmt/format.h>

#include <algorithm>

#include "core/explanation/text_table.h"
#include "core/text/printable.h"
#include "sim/report/report_words.h"
#include "sim/report/simulation_report.h"
#include "sim/report/totals.h"

namespace jettison {
namespace {

using Align = TextTable::Align;

void PutNotes(const RecordingFacts& facts, std::string& out) {
  for (const std::string& note : facts.notes) out += fmt::format("  Note: {}.\n", Printable(note));
  if (facts.note_count > facts.notes.size()) {
    out += fmt::format("  Note: and {} more.\n", facts.note_count - facts.notes.size());
  }
}

void PutRecording(const SimulationReport& report, bool with_notes, std::string& out) {
  const RecordingFacts& facts = report.facts;
  out +=
      fmt::format("RECORDING  {}{}\n", Printable(report.recording()),
                  report.inputs.size() > 1 ? fmt::format(" and {} more", report.inputs.size() - 1)
                                           : std::string());
  if (!facts.from) {
    out += report.failure.empty()
               ? std::string("  It holds no pass.\n")
               : fmt::format("  It could not be simulated: {}.\n", Printable(report.failure));
    return;
  }
  out += fmt::format("  {}{} to {}: {}, {}, at most {} apart.\n",
                     facts.node.empty() ? "" : Printable(facts.node) + ", ",
                     FormatInstant(*facts.from), FormatInstant(*facts.to),
                     CountText(facts.passes, "pass"), CountText(facts.pods, "pod"),
                     LengthText(facts.longest_step));
  out += fmt::format("  {} and {} are recorded.\n", CountText(facts.evictions.size(), "eviction"),
                     CountText(facts.oom_kills.size(), "OOM kill"));
  if (with_notes) PutNotes(facts, out);
  if (facts.flaw_count == 0) return;
  out += fmt::format("  {} is unknown, and nothing is filled in:\n", LengthText(facts.unknown));
  for (const RecordingFlaw& flaw : facts.flaws) {
    out += fmt::format("  - {}: {}\n", FormatInstant(flaw.at), Printable(flaw.what));
  }
  const std::uint64_t more = facts.flaw_count - facts.flaws.size();
  if (more > 0) out += fmt::format("  - and {} more\n", more);
}

void PutTable(const std::vector<PolicyOutcome>& outcomes, std::string& out) {
  TextTable table(
      {Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kRight, Align::kRight});
  table.Add({"POLICY", "EVICTIONS", "OOM KILLS", "CONDITIONS", "KEPT FREE", "POD TIME LOST"});
  for (const PolicyOutcome& outcome : outcomes) {
    table.Add(
        {outcome.name, fmt::format("{}", outcome.evictions.size()),
         fmt::format("{}", outcome.oom_kills.size()), LengthText(outcome.condition_time.Sum()),
         fmt::format("{:.3f} GiB h", outcome.IdleGibHours()), LengthText(outcome.pod_time_lost)});
  }
  out += '\n';
  out += table.Text(0);
}

void PutEvictions(const PolicyOutcome& outcome, std::size_t most, std::string& out) {
  if (outcome.evictions.empty() && outcome.oom_kills.empty()) return;
  out += fmt::format("\n{}\n", Printable(outcome.name));
  TextTable table({Align::kLeft, Align::kLeft, Align::kLeft, Align::kLeft});
  for (std::size_t i = 0; i < std::min(most, outcome.evictions.size()); ++i) {
    const SimulatedEviction& eviction = outcome.evictions[i];
    table.Add({WhenText(eviction.when), eviction.pod, ReasonText(eviction),
               eviction.as_recorded ? "as recorded" : ""});
  }
  for (std::size_t i = 0; i < std::min(most, outcome.oom_kills.size()); ++i) {
    const ForeseenOomKill& kill = outcome.oom_kills[i];
    const bool recorded = kill.why == ForeseenOomKill::Why::kRecorded;
    table.Add(
        {WhenText(kill.when), kill.pod,
         kill.why == ForeseenOomKill::Why::kPodLimit ? "OOM kill, limit of the pod" : "OOM kill",
         recorded ? "as recorded" : ""});
  }
  out += table.Text(2);
  const std::size_t all = outcome.evictions.size() + outcome.oom_kills.size();
  const std::size_t shown =
      std::min(most, outcome.evictions.size()) + std::min(most, outcome.oom_kills.size());
  if (shown < all) out += fmt::format("  and {} more\n", all - shown);
}

void PutHead(const SimulationReport& report, bool with_notes, std::string& out) {
  PutRecording(report, with_notes, out);
  if (report.facts.from) out += CalibrationText(report.calibration);
}

// What the calibration missed, and what of it is false.
void PutErrors(const SimulationReport& report, std::size_t most, std::string& out) {
  const std::vector<SimulatedEviction>& said = report.foretold.evictions;
  TextTable table({Align::kLeft, Align::kLeft, Align::kLeft});
  for (const Pairing& pair : report.calibration.pairs) {
    if ((pair.truth && pair.said) || most == 0) continue;
    --most;
    if (pair.truth) {
      const RecordedFact& fact = report.facts.evictions[*pair.truth];
      table.Add({"missed", WhenText({fact.at, fact.at, fact.at}), fact.pod});
    } else {
      const TimeBounds& when = said[*pair.said].when;
      table.Add({IsKnown(when) ? "false" : "not known", WhenText(when), said[*pair.said].pod});
    }
  }
  out += table.Text(2);
}

// Recordings of the same kind have the same notes, which are written once, before them.
std::string SharedNotes(const std::vector<SimulationReport>& reports) {
  if (reports.size() < 2) return "";
  NoteList notes;
  for (const SimulationReport& report : reports) notes.Add(report.facts.notes);
  return notes.Text(reports.size(), "recording");
}

}  // namespace

std::string_view SimulationReport::recording() const {
  return inputs.empty() ? std::string_view(facts.node) : inputs.front().name;
}

bool SimulationReport::IsDamaged() const {
  return !failure.empty() || std::ranges::any_of(inputs, [](const SimulatedInput& input) {
    return !input.faults.empty();
  });
}

std::vector<std::string> SimulationReport::Faults() const {
  std::vector<std::string> all;
  for (const SimulatedInput& input : inputs) {
    for (const std::string& fault : input.faults) {
      const bool is_named = fault.find(input.name) != std::string::npos;
      all.push_back(is_named ? fault : fmt::format("{}: {}", input.name, fault));
    }
  }
  if (!failure.empty()) all.push_back(failure);
  return all;
}

void Calibrate(SimulationReport& report) {
  const Duration every = report.calibration.every;
  const Duration reach =
      std::max<Duration>({every, report.facts.longest_step, std::chrono::seconds(1)});
  report.calibration = Compare(report.facts.evictions, report.foretold.evictions, reach);
  report.calibration.every = every;
}

std::string SimulationText(const SimulationReport& report, std::size_t most) {
  std::string out;
  PutHead(report, true, out);
  if (!report.facts.from) return out;
  PutErrors(report, most, out);
  PutTable(report.outcomes, out);
  for (const PolicyOutcome& outcome : report.outcomes) PutEvictions(outcome, most, out);
  return out;
}

std::string HeadText(const std::vector<SimulationReport>& reports) {
  std::string out = SharedNotes(reports);
  for (const SimulationReport& report : reports) {
    if (!out.empty()) out += "\n";
    PutHead(report, reports.size() == 1, out);
  }
  return out;
}

std::string EvictionsText(const PolicyOutcome& outcome, std::size_t most) {
  std::string out;
  PutEvictions(outcome, most, out);
  return out;
}

}  // namespace jettison
