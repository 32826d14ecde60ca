#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "core/explanation/text_table.h"
#include "core/text/printable.h"
#include "sim/fleet/fleet_report.h"
#include "sim/report/report_words.h"

namespace jettison {
namespace {

using Align = TextTable::Align;

// The most policy columns in a table of nodes.
constexpr std::size_t kMostColumns = 8;

std::string FleetLengthText(Int128 nanoseconds) {
  const double hours = static_cast<double>(nanoseconds) / 3.6e12;
  if (hours < 1000) return LengthText(Duration(static_cast<std::int64_t>(nanoseconds)));
  return fmt::format("{:.0f} h", hours);
}

std::string GibHoursText(Int128 byte_seconds) {
  constexpr double kGibHour = 1024.0 * 1024.0 * 1024.0 * 3600.0;
  return fmt::format("{:.3f} GiB h", static_cast<double>(byte_seconds) / kGibHour);
}

std::string ShareOfText(std::int64_t part, std::int64_t all) {
  if (all == 0) return "-";
  return fmt::format("{:.1f}%", 100.0 * static_cast<double>(part) / static_cast<double>(all));
}

std::string Count(std::int64_t count, std::string_view one) {
  return CountText(static_cast<std::size_t>(count), one);
}

void PutFleet(const FleetReport& report, std::string& out) {
  const FleetTotals& totals = report.totals;
  out += fmt::format("FLEET  {}, {}, {}, {}\n", Count(totals.nodes, "node"),
                     Count(totals.recordings, "recording"), Count(totals.passes, "pass"),
                     Count(totals.pods, "pod"));
  out += fmt::format("  {} and {} are recorded.\n", Count(totals.recorded_evictions, "eviction"),
                     Count(totals.recorded_oom_kills, "OOM kill"));
  if (totals.flaws > 0) {
    out += fmt::format("  {} of node time are unknown ({}), and nothing is filled in.\n",
                       FleetLengthText(totals.unknown_nanoseconds), Count(totals.flaws, "flaw"));
  }
  if (report.missing_shards.empty()) return;
  out += fmt::format("  {} of {} shards are missing:", report.missing_shards.size(),
                     report.manifest.shard.count);
  constexpr std::size_t kMostTold = 20;
  for (std::size_t i = 0; i < std::min(kMostTold, report.missing_shards.size()); ++i) {
    out += fmt::format(" {}", report.missing_shards[i]);
  }
  out += report.missing_shards.size() > kMostTold ? " ...\n" : "\n";
}

void PutDamage(const FleetReport& report, const DamageList& damage, std::string& out) {
  if (damage.count() == 0) return;
  out += fmt::format("\nDAMAGED  {} of {}, {} without any pass\n", report.totals.recordings_damaged,
                     Count(report.totals.recordings, "recording"),
                     Count(report.totals.nodes_failed, "node"));
  for (const std::string& each : damage.told()) out += fmt::format("  - {}\n", each);
  if (damage.count() > damage.told().size()) {
    out += fmt::format("  - and {} more\n", damage.count() - damage.told().size());
  }
}

void PutFleetCalibration(const FleetCalibration& calibration, std::string& out) {
  out += "\nCALIBRATION  the policies that were in force, found from samples alone\n";
  if (calibration.evictions == 0 && calibration.foretold == 0) {
    out +=
        "  No pod was evicted, and none was foretold: how far evictions can be foretold from\n"
        "  these recordings is not known.\n";
    return;
  }
  out += fmt::format(
      "  {} of {} {} found ({}), {} of {} that {} right ({}).\n", calibration.found,
      Count(calibration.evictions, "eviction"), calibration.evictions == 1 ? "was" : "were",
      ShareOfText(calibration.found, calibration.evictions), calibration.found,
      calibration.foretold, calibration.foretold == 1 ? "was foretold is" : "were foretold are",
      ShareOfText(calibration.found, calibration.foretold));
  if (calibration.found == 0) return;
  out += fmt::format("  {} of {} {} within the stated bounds ({})", calibration.inside,
                     Count(calibration.found, "true time"), calibration.found == 1 ? "lies" : "lie",
                     ShareOfText(calibration.inside, calibration.found));
  const auto median = calibration.MedianAtMost();
  out +=
      median ? fmt::format("; off by at most {} in the median.\n", FormatDuration(*median)) : ".\n";
}

void PutPolicies(const FleetReport& report, std::string& out) {
  TextTable table({Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kRight,
                   Align::kRight, Align::kRight});
  table.Add(
      {"POLICY", "EVICTIONS", "ON NODES", "OOM KILLS", "CONDITIONS", "KEPT FREE", "POD TIME LOST"});
  for (std::size_t i = 0; i < report.totals.policies.size(); ++i) {
    const PolicyTotals& totals = report.totals.policies[i];
    table.Add({report.manifest.policies[i].name, fmt::format("{}", totals.evictions),
               fmt::format("{}", totals.nodes_with_evictions), fmt::format("{}", totals.oom_kills),
               FleetLengthText(ConditionNanoseconds(totals)),
               GibHoursText(totals.kept_free_byte_seconds),
               FleetLengthText(totals.pod_nanoseconds_lost)});
  }
  out += "\n" + table.Text(0);
}

void PutTop(const FleetReport& report, const TopNodes& top, std::string& out) {
  if (top.nodes().empty()) return;
  const std::size_t columns = std::min(kMostColumns, report.manifest.policies.size());
  std::vector<Align> aligns(columns + 2, Align::kRight);
  aligns.front() = Align::kLeft;
  TextTable table(aligns);
  std::vector<std::string> header = {"NODE", "MOST"};
  for (std::size_t i = 0; i < columns; ++i) header.push_back(fmt::format("[{}]", i));
  table.Add(header);
  for (const TopNodes::Node& node : top.nodes()) {
    std::vector<std::string> row = {node.name, fmt::format("{}", node.most_evictions)};
    for (std::size_t i = 0; i < columns; ++i) row.push_back(fmt::format("{}", node.evictions[i]));
    table.Add(row);
  }
  out += "\nNODES  with the most evictions under any policy; [0] is the first policy above\n";
  out += table.Text(2);
}

// The order of nodes in the table.
auto RankOf(const TopNodes::Node& node) {
  return std::make_tuple(-node.most_evictions, -node.most_lost, std::string_view(node.name));
}

}  // namespace

void TopNodes::Add(const FleetNode& node) {
  Node each{.name = node.node};
  for (const PolicySums& sums : node.policies) {
    each.most_evictions = std::max(each.most_evictions, sums.evictions);
    each.most_lost = std::max(each.most_lost, sums.pod_nanoseconds_lost);
    each.evictions.push_back(sums.evictions);
  }
  if (each.most_evictions == 0) return;
  const auto at = std::ranges::upper_bound(nodes_, RankOf(each), {},
                                           [](const Node& there) { return RankOf(there); });
  nodes_.insert(at, std::move(each));
  if (nodes_.size() > most_) nodes_.pop_back();
}

void DamageList::Add(const FleetNode& node) {
  const auto tell = [this](const std::string& what) {
    ++count_;
    if (told_.size() < kMostTold) told_.push_back(Printable(what));
  };
  for (const FleetInput& input : node.inputs) {
    for (const std::string& fault : input.faults) {
      tell(fmt::format("{}: {}: {}", node.node, input.name, fault));
    }
  }
  if (!node.failure.empty()) tell(fmt::format("{}: {}", node.node, node.failure));
}

std::string FleetText(const FleetReport& report, const TopNodes& top, const NoteList& notes,
                      const DamageList& damage) {
  std::string out;
  PutFleet(report, out);
  const std::string said = notes.Text(static_cast<std::size_t>(report.totals.nodes), "node");
  if (!said.empty()) out += "\n" + said;
  PutDamage(report, damage, out);
  PutFleetCalibration(report.totals.calibration, out);
  PutPolicies(report, out);
  PutTop(report, top, out);
  return out;
}

}  // namespace jettison
