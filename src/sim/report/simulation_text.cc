#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/explanation/explanation_text.h"
#include "core/explanation/text_table.h"
#include "core/text/printable.h"
#include "core/units/duration.h"
#include "sim/report/simulation_report.h"

namespace jettison {
namespace {

using Align = TextTable::Align;

constexpr Duration kDay = std::chrono::hours(24);

// A moment as text, without its date if it is on the day of `beside`.
std::string MomentText(Instant at, std::optional<Instant> beside) {
  const auto tenths = std::chrono::floor<std::chrono::duration<std::int64_t, std::deci>>(at);
  const std::string text = FormatInstant(tenths);
  const bool same = beside && at.time_since_epoch() / kDay == beside->time_since_epoch() / kDay;
  std::string shown = text.substr(0, text.size() - 1);
  if (shown.find('.') == std::string::npos) shown += ".0";
  shown[10] = ' ';
  return same ? shown.substr(11) : shown;
}

std::string WhenText(const TimeBounds& when) {
  if (when.earliest == when.latest) return MomentText(when.at, std::nullopt);
  return fmt::format("{} ({} to {})", MomentText(when.at, std::nullopt),
                     MomentText(when.earliest, when.at), MomentText(when.latest, when.at));
}

}  // namespace

std::string ShownAmount(Signal signal, std::int64_t amount) {
  const std::string rough = RoughText(signal, amount);
  return rough.empty() ? AmountText(signal, amount) : rough;
}

namespace {

// Exact where amounts that are rounded to a tenth of a unit could look equal.
std::string ShownBelow(Signal signal, std::int64_t amount, std::int64_t line) {
  const auto most = static_cast<double>(line);
  double unit = 1024;
  while (most / unit >= 1024) unit *= 1024;
  const bool is_far = most - static_cast<double>(amount) > unit / 10;
  return is_far ? ShownAmount(signal, amount) : AmountText(signal, amount);
}

}  // namespace

std::string ReasonText(const SimulatedEviction& eviction) {
  if (eviction.limit) {
    constexpr const char* kLimits[] = {"limit of an emptyDir", "limit of its ephemeral storage",
                                       "limit of a container's ephemeral storage"};
    return kLimits[static_cast<std::size_t>(*eviction.limit)];
  }
  const Signal signal = eviction.signal;
  const char* soft = eviction.soft ? ", soft" : "";
  if (eviction.available >= eviction.line) {
    return fmt::format("{} {}, threshold of {} held by minimum reclaim{}", NameOf(signal),
                       ShownAmount(signal, eviction.available), ShownAmount(signal, eviction.line),
                       soft);
  }
  return fmt::format("{} {} < {}{}", NameOf(signal),
                     ShownBelow(signal, eviction.available, eviction.line),
                     ShownAmount(signal, eviction.line), soft);
}

std::string LengthText(Duration span) {
  const double seconds = std::chrono::duration<double>(span).count();
  if (seconds < 120) return fmt::format("{:.1f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.1f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string CountText(std::size_t count, std::string_view one) {
  const std::string_view plural = one.ends_with('s') ? "es" : "s";
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : plural);
}

namespace {

std::string PercentText(const std::optional<double>& share) {
  return share ? fmt::format("{:.1f}%", *share * 100) : "-";
}

// How well evictions are found from samples alone.
std::string CalibrationText(const Calibration& calibration) {
  std::string out = "\nCALIBRATION  the policy that was in force, found from samples";
  if (calibration.every > Duration{0}) {
    out += fmt::format(" {} apart", LengthText(calibration.every));
  }
  out += " alone\n";
  if (calibration.truths == 0 && calibration.said == 0) {
    return out +
           "  No pod was evicted, and none was foretold: how far evictions can be foretold from\n"
           "  these recordings is not known.\n";
  }
  const std::size_t known = calibration.said - calibration.unknown;
  out += fmt::format("  {} of {} {} found ({}), {} of {} that {} right ({}).\n", calibration.found,
                     CountText(calibration.truths, "eviction"),
                     calibration.truths == 1 ? "was" : "were", PercentText(calibration.Recall()),
                     calibration.found, known, known == 1 ? "was foretold is" : "were foretold are",
                     PercentText(calibration.Precision()));
  if (calibration.unknown > 0) {
    out += fmt::format("  {} more {} not known: the bounds are wider than a minute.\n",
                       CountText(calibration.unknown, "eviction"),
                       calibration.unknown == 1 ? "is" : "are");
  }
  if (calibration.errors.empty()) return out;
  return out + fmt::format(
                   "  {} of {} {} within the stated bounds ({}); off by {} in the median, "
                   "{} at most.\n",
                   calibration.inside, CountText(calibration.found, "true time"),
                   calibration.found == 1 ? "lies" : "lie", PercentText(calibration.Coverage()),
                   LengthText(*calibration.MedianError()), LengthText(*calibration.WorstError()));
}

void PutRecording(const SimulationReport& report, std::string& out) {
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
  for (const std::string& note : facts.notes) out += fmt::format("  Note: {}.\n", Printable(note));
  if (facts.note_count > facts.notes.size()) {
    out += fmt::format("  Note: and {} more.\n", facts.note_count - facts.notes.size());
  }
  if (facts.flaw_count > 0) {
    out += fmt::format("  {} is unknown, and nothing is filled in:\n", LengthText(facts.unknown));
    for (const RecordingFlaw& flaw : facts.flaws) {
      out += fmt::format("  - {}: {}\n", FormatInstant(flaw.at), Printable(flaw.what));
    }
    const std::uint64_t more = facts.flaw_count - facts.flaws.size();
    if (more > 0) out += fmt::format("  - and {} more\n", more);
  }
  out += CalibrationText(report.calibration);
}

std::string LengthOf(double seconds) {
  if (seconds >= 3.6e6) return fmt::format("{:.0f} h", seconds / 3600);
  return LengthText(std::chrono::round<Duration>(std::chrono::duration<double>(seconds)));
}

// Of one node the number of nodes says nothing.
void PutPolicies(const SimulationHead& head, const SimulationTotals& totals, std::string& out) {
  const bool has_several = totals.nodes != 1;
  std::vector<Align> aligns(has_several ? 7 : 6, Align::kRight);
  aligns.front() = Align::kLeft;
  TextTable table(aligns);
  const auto add = [&](std::vector<std::string> cells) {
    if (!has_several) cells.erase(cells.begin() + 2);
    table.Add(cells);
  };
  add({"POLICY", "EVICTIONS", "ON NODES", "OOM KILLS", "CONDITIONS", "KEPT FREE", "POD TIME LOST"});
  for (std::size_t i = 0; i < totals.policies.size(); ++i) {
    const PolicyCosts& each = totals.policies[i];
    add({head.policies[i].name, fmt::format("{}", each.evictions),
         fmt::format("{}", each.nodes_with_evictions), fmt::format("{}", each.oom_kills),
         LengthOf(SecondsOf(each.condition_time)), fmt::format("{:.3f} GiB h", each.IdleGibHours()),
         LengthOf(SecondsOf(each.pod_time_lost))});
  }
  out += "\n" + table.Text(0);
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

void PutFleet(const SimulationTotals& totals, std::string& out) {
  out += fmt::format("FLEET  {}, {}, {}, {}\n", CountText(totals.nodes, "node"),
                     CountText(totals.recordings, "recording"), CountText(totals.passes, "pass"),
                     CountText(totals.pods, "pod"));
  out +=
      fmt::format("  {} and {} are recorded.\n", CountText(totals.recorded_evictions, "eviction"),
                  CountText(totals.recorded_oom_kills, "OOM kill"));
  if (totals.flaws > 0) {
    out += fmt::format("  {} of node time are unknown ({}), and nothing is filled in.\n",
                       LengthOf(totals.unknown_seconds), CountText(totals.flaws, "flaw"));
  }
}

// The first lines are told, and the others are counted.
void PutList(const std::vector<std::string>& lines, std::string& out) {
  constexpr std::size_t kMostTold = 20;
  for (std::size_t i = 0; i < std::min(kMostTold, lines.size()); ++i) {
    out += fmt::format("  - {}\n", Printable(lines[i]));
  }
  if (lines.size() > kMostTold) out += fmt::format("  - and {} more\n", lines.size() - kMostTold);
}

// Each note once, with the number of nodes that have it.
void PutFleetNotes(const std::vector<SimulationReport>& nodes, std::string& out) {
  std::map<std::string, std::set<const SimulationReport*>> having;
  for (const SimulationReport& node : nodes) {
    for (const std::string& note : node.facts.notes) having[note].insert(&node);
  }
  if (having.empty()) return;
  std::vector<std::pair<std::size_t, std::string>> by_times;
  for (const auto& [note, of] : having) by_times.emplace_back(of.size(), note);
  std::ranges::stable_sort(by_times, std::greater(), &std::pair<std::size_t, std::string>::first);
  std::vector<std::string> lines;
  for (const auto& [count, note] : by_times) {
    lines.push_back(fmt::format("of {} of {}: {}", count, CountText(nodes.size(), "node"), note));
  }
  out += "\nNOTES  what the recordings say of themselves\n";
  PutList(lines, out);
}

void PutDamage(const std::vector<SimulationReport>& nodes, const SimulationTotals& totals,
               std::string& out) {
  std::vector<std::string> damage;
  for (const SimulationReport& node : nodes) {
    for (const std::string& fault : node.Faults()) damage.push_back(node.facts.node + ": " + fault);
  }
  if (damage.empty()) return;
  out += fmt::format("\nDAMAGED  {} of {}, {} without any pass\n", totals.recordings_damaged,
                     CountText(totals.recordings, "recording"),
                     CountText(totals.nodes_failed, "node"));
  PutList(damage, out);
}

// The nodes with the most evictions, then pod time lost, then by name.
void PutTop(const std::vector<SimulationReport>& nodes, std::size_t policies, std::size_t most,
            std::string& out) {
  struct Row {
    std::size_t evictions = 0;  // under any policy
    Duration lost{0};
    const SimulationReport* node = nullptr;
  };
  std::vector<Row> rows;
  for (const SimulationReport& node : nodes) {
    Row row{.node = &node};
    for (const PolicyOutcome& outcome : node.outcomes) {
      row.evictions = std::max(row.evictions, outcome.evictions.size());
      row.lost = std::max(row.lost, outcome.pod_time_lost);
    }
    if (row.evictions > 0) rows.push_back(row);
  }
  std::ranges::stable_sort(rows, std::greater(),
                           [](const Row& row) { return std::pair(row.evictions, row.lost); });
  rows.resize(std::min(rows.size(), most));
  if (rows.empty()) return;
  constexpr std::size_t kMostColumns = 8;
  const std::size_t columns = std::min(kMostColumns, policies);
  std::vector<Align> aligns(columns + 2, Align::kRight);
  aligns.front() = Align::kLeft;
  TextTable table(aligns);
  std::vector<std::string> header = {"NODE", "MOST"};
  for (std::size_t i = 0; i < columns; ++i) header.push_back(fmt::format("[{}]", i));
  table.Add(header);
  for (const Row& row : rows) {
    std::vector<std::string> cells = {row.node->facts.node, fmt::format("{}", row.evictions)};
    for (std::size_t i = 0; i < columns; ++i) {
      cells.push_back(fmt::format("{}", row.node->outcomes[i].evictions.size()));
    }
    table.Add(cells);
  }
  out += "\nNODES  with the most evictions under any policy; [0] is the first policy above\n";
  out += table.Text(2);
}

}  // namespace

std::string DifferenceText(const DifferenceReport& report) {
  std::string out = fmt::format("DIFFERENCES\n  A  {}: {}\n  B  {}: {}\n", Printable(report.a_name),
                                CountText(report.a_count, "eviction"), Printable(report.b_name),
                                CountText(report.b_count, "eviction"));
  if (report.differences.empty()) return out + "\nThey do not differ.\n";
  for (const DifferenceReport::Difference& each : report.differences) {
    const std::pair<const char*, const std::optional<SimulatedEviction>&> sides[] = {{"A", each.a},
                                                                                     {"B", each.b}};
    out += fmt::format("\n{}\n", Printable((each.a ? each.a : each.b)->pod));
    for (const auto& [name, eviction] : sides) {
      out += !eviction ? fmt::format("  {}  is not evicted\n", name)
                       : fmt::format("  {}  {}  {}\n", name, WhenText(eviction->when),
                                     ReasonText(*eviction));
    }
    if (each.a && each.b) {
      const Duration later = Elapsed(each.a->when.at, each.b->when.at);
      out += fmt::format("  B is {} {}.\n", LengthText(std::chrono::abs(later)),
                         later < Duration{0} ? "earlier" : "later");
    }
  }
  return out;
}

std::string SimulationText(const SimulationHead& head, const std::vector<SimulationReport>& nodes,
                           std::size_t shown) {
  std::string out;
  const SimulationTotals totals = TotalsOf(nodes, head.policies.size());
  if (nodes.size() != 1) {
    PutFleet(totals, out);
    PutFleetNotes(nodes, out);
    PutDamage(nodes, totals, out);
    out += CalibrationText(totals.calibration);
    PutPolicies(head, totals, out);
    PutTop(nodes, head.policies.size(), shown, out);
    return out;
  }
  const SimulationReport& only = nodes.front();
  PutRecording(only, out);
  if (!only.facts.from) return out;
  PutErrors(only, shown, out);
  PutPolicies(head, totals, out);
  for (const PolicyOutcome& outcome : only.outcomes) out += EvictionsText(outcome, shown);
  for (const DifferenceReport& each : only.differences) out += "\n" + DifferenceText(each);
  return out;
}

std::string HeadText(const std::vector<SimulationReport>& reports) {
  std::string out;
  for (const SimulationReport& report : reports) {
    if (!out.empty()) out += "\n";
    PutRecording(report, out);
  }
  return out;
}

std::string EvictionsText(const PolicyOutcome& outcome, std::size_t most) {
  if (outcome.evictions.empty() && outcome.oom_kills.empty()) return "";
  std::string out = fmt::format("\n{}\n", Printable(outcome.name));
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
  const auto left = [&](std::size_t all) { return all - std::min(most, all); };
  const std::size_t more = left(outcome.evictions.size()) + left(outcome.oom_kills.size());
  if (more > 0) out += fmt::format("  and {} more\n", more);
  return out;
}

}  // namespace jettison
