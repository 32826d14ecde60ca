#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <tuple>

#include "core/explanation/text_table.h"
#include "core/text/printable.h"
#include "sim/report/report_words.h"
#include "sim/report/totals.h"

namespace jettison {
namespace {

using Align = TextTable::Align;

// The most policy columns in a table of nodes.
constexpr std::size_t kMostColumns = 8;

std::string FleetLengthText(double seconds) {
  if (seconds < 3.6e6)
    return LengthText(std::chrono::round<Duration>(std::chrono::duration<double>(seconds)));
  return fmt::format("{:.0f} h", seconds / 3600);
}

void PutFleet(const SimulationHead& head, const SimulationTotals& totals, std::string& out) {
  out += fmt::format("FLEET  {}, {}, {}, {}\n", CountText(totals.nodes, "node"),
                     CountText(totals.recordings, "recording"), CountText(totals.passes, "pass"),
                     CountText(totals.pods, "pod"));
  out +=
      fmt::format("  {} and {} are recorded.\n", CountText(totals.recorded_evictions, "eviction"),
                  CountText(totals.recorded_oom_kills, "OOM kill"));
  if (totals.flaws > 0) {
    out += fmt::format("  {} of node time are unknown ({}), and nothing is filled in.\n",
                       FleetLengthText(totals.unknown_seconds), CountText(totals.flaws, "flaw"));
  }
  if (head.missing_shards.empty()) return;
  out +=
      fmt::format("  {} of {} shards are missing:", head.missing_shards.size(), head.shard.count);
  constexpr std::size_t kMostTold = 20;
  for (std::size_t i = 0; i < std::min(kMostTold, head.missing_shards.size()); ++i) {
    out += fmt::format(" {}", head.missing_shards[i]);
  }
  out += head.missing_shards.size() > kMostTold ? " ...\n" : "\n";
}

void PutDamage(const FleetSummary& fleet, std::string& out) {
  const SimulationTotals& totals = fleet.totals;
  if (fleet.damage_count == 0) return;
  out += fmt::format("\nDAMAGED  {} of {}, {} without any pass\n", totals.recordings_damaged,
                     CountText(totals.recordings, "recording"),
                     CountText(totals.nodes_failed, "node"));
  for (const std::string& each : fleet.damage) out += fmt::format("  - {}\n", each);
  if (fleet.damage_count > fleet.damage.size()) {
    out += fmt::format("  - and {} more\n", fleet.damage_count - fleet.damage.size());
  }
}

void PutPolicies(const SimulationHead& head, const SimulationTotals& totals, std::string& out) {
  TextTable table({Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kRight,
                   Align::kRight, Align::kRight});
  table.Add(
      {"POLICY", "EVICTIONS", "ON NODES", "OOM KILLS", "CONDITIONS", "KEPT FREE", "POD TIME LOST"});
  for (std::size_t i = 0; i < totals.policies.size(); ++i) {
    const PolicyTotals& each = totals.policies[i];
    table.Add({head.policies[i].name, fmt::format("{}", each.evictions),
               fmt::format("{}", each.nodes_with_evictions), fmt::format("{}", each.oom_kills),
               FleetLengthText(each.condition_seconds),
               fmt::format("{:.3f} GiB h", each.idle_byte_seconds / kByteSecondsOfGibHour),
               FleetLengthText(each.pod_seconds_lost)});
  }
  out += "\n" + table.Text(0);
}

void PutTop(const std::vector<TopNode>& top, std::size_t policies, std::string& out) {
  if (top.empty()) return;
  const std::size_t columns = std::min(kMostColumns, policies);
  std::vector<Align> aligns(columns + 2, Align::kRight);
  aligns.front() = Align::kLeft;
  TextTable table(aligns);
  std::vector<std::string> header = {"NODE", "MOST"};
  for (std::size_t i = 0; i < columns; ++i) header.push_back(fmt::format("[{}]", i));
  table.Add(header);
  for (const TopNode& node : top) {
    std::vector<std::string> row = {node.name, fmt::format("{}", node.most_evictions)};
    for (std::size_t i = 0; i < columns; ++i) row.push_back(fmt::format("{}", node.evictions[i]));
    table.Add(row);
  }
  out += "\nNODES  with the most evictions under any policy; [0] is the first policy above\n";
  out += table.Text(2);
}

// The order of nodes in the table.
auto RankOf(const TopNode& node) {
  return std::make_tuple(-static_cast<std::int64_t>(node.most_evictions), -node.most_lost,
                         std::string_view(node.name));
}

}  // namespace

void NoteList::Add(std::span<const std::string> notes) {
  for (std::size_t i = 0; i < notes.size(); ++i) {
    const auto before = notes.first(i);
    if (std::ranges::find(before, notes[i]) != before.end()) continue;
    const auto at = std::ranges::find(told_, notes[i], &Note::text);
    if (at != told_.end()) {
      ++at->times;
    } else if (told_.size() < kMostTold) {
      told_.push_back({.text = notes[i], .times = 1});
    } else {
      ++more_;
    }
  }
}

std::string NoteList::Text(std::size_t all, std::string_view one) const {
  if (told_.empty()) return "";
  std::string out = "NOTES  what the recordings say of themselves\n";
  for (const Note& note : told_) {
    out +=
        fmt::format("  - of {} of {}: {}\n", note.times, CountText(all, one), Printable(note.text));
  }
  if (more_ > 0) out += fmt::format("  - and {} more\n", more_);
  return out;
}

void SimulationTotals::Add(const SimulationReport& report) {
  const RecordingFacts& facts = report.facts;
  ++nodes;
  nodes_failed += report.failure.empty() ? 0 : 1;
  for (const SimulatedInput& input : report.inputs) {
    ++recordings;
    recordings_damaged += input.faults.empty() ? 0 : 1;
    bytes += input.bytes;
  }
  passes += facts.passes;
  pods += facts.pods;
  flaws += facts.flaw_count;
  unknown_seconds += SecondsOf(facts.unknown);
  recorded_evictions += facts.evictions.size();
  recorded_oom_kills += facts.oom_kills.size();
  calibration.Add(report.calibration);
  policies.resize(std::max(policies.size(), report.outcomes.size()));
  for (std::size_t i = 0; i < report.outcomes.size(); ++i) {
    const PolicyOutcome& outcome = report.outcomes[i];
    PolicyTotals& sums = policies[i];
    sums.evictions += outcome.evictions.size();
    sums.oom_kills += outcome.oom_kills.size();
    sums.nodes_with_evictions += outcome.evictions.empty() ? 0 : 1;
    sums.condition_seconds += SecondsOf(outcome.condition_time.Sum());
    sums.idle_byte_seconds += outcome.idle_byte_seconds;
    sums.pod_seconds_lost += SecondsOf(outcome.pod_time_lost);
  }
}

void FleetSummary::Add(const SimulationReport& report) {
  totals.Add(report);
  notes.Add(report.facts.notes);
  for (const std::string& fault : report.Faults()) {
    ++damage_count;
    if (damage.size() < kMostDamage) damage.push_back(Printable(report.facts.node + ": " + fault));
  }
  TopNode each{.name = report.facts.node};
  for (const PolicyOutcome& outcome : report.outcomes) {
    each.most_evictions = std::max(each.most_evictions, outcome.evictions.size());
    each.most_lost = std::max(each.most_lost, outcome.pod_time_lost);
    each.evictions.push_back(outcome.evictions.size());
  }
  if (each.most_evictions == 0) return;
  const auto at = std::ranges::upper_bound(top, RankOf(each), {},
                                           [](const TopNode& there) { return RankOf(there); });
  top.insert(at, std::move(each));
  if (top.size() > most_nodes) top.pop_back();
}

std::string FleetText(const SimulationHead& head, const FleetSummary& fleet) {
  std::string out;
  PutFleet(head, fleet.totals, out);
  const std::string said = fleet.notes.Text(fleet.totals.nodes, "node");
  if (!said.empty()) out += "\n" + said;
  PutDamage(fleet, out);
  out += CalibrationText(fleet.totals.calibration);
  PutPolicies(head, fleet.totals, out);
  PutTop(fleet.top, head.policies.size(), out);
  return out;
}

}  // namespace jettison
