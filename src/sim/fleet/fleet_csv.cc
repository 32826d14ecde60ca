#include <fmt/format.h>

#include "sim/fleet/fleet_report.h"
#include "sim/report/report_words.h"

namespace jettison {
namespace {

// The sum over conditions.
std::int64_t ConditionSum(const PolicySums& sums) {
  std::int64_t all = 0;
  for (const std::int64_t each : sums.condition_nanoseconds) all += each;
  return all;
}

std::string InstantCell(const std::optional<Instant>& at) {
  return at ? FormatInstant(*at) : "";
}

}  // namespace

std::string ExactSeconds(Int128 nanoseconds) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const bool negative = nanoseconds < 0;
  if (negative) nanoseconds = -nanoseconds;
  return fmt::format("{}{}.{:09}", negative ? "-" : "", nanoseconds / kSecond,
                     static_cast<std::int64_t>(nanoseconds % kSecond));
}

std::string FleetPoliciesCsv(const FleetReport& report) {
  std::string out =
      "policy,evictions,nodes_with_evictions,oom_kills,condition_seconds,"
      "kept_free_byte_seconds,pod_seconds_lost\n";
  for (std::size_t i = 0; i < report.totals.policies.size(); ++i) {
    const PolicyTotals& totals = report.totals.policies[i];
    out += fmt::format("{},{},{},{},{},{},{}\n", CsvCell(report.manifest.policies[i].name),
                       totals.evictions, totals.nodes_with_evictions, totals.oom_kills,
                       ExactSeconds(ConditionNanoseconds(totals)), totals.kept_free_byte_seconds,
                       ExactSeconds(totals.pod_nanoseconds_lost));
  }
  return out;
}

bool WriteFleetNodesCsv(const FleetReport& report, const VisitNodes& nodes, const PutPiece& put) {
  if (!put("node,from,to,passes,pods,recorded_evictions,policy,evictions,oom_kills,"
           "condition_seconds,kept_free_byte_seconds,pod_seconds_lost,damaged\n")) {
    return false;
  }
  return nodes([&](const FleetNode& node) {
    std::string rows;
    for (std::size_t i = 0; i < node.policies.size(); ++i) {
      const PolicySums& sums = node.policies[i];
      rows += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", CsvCell(node.node),
                          InstantCell(node.from), InstantCell(node.to), node.passes, node.pods,
                          node.recorded_evictions, CsvCell(report.manifest.policies[i].name),
                          sums.evictions, sums.oom_kills, ExactSeconds(ConditionSum(sums)),
                          sums.kept_free_byte_seconds, ExactSeconds(sums.pod_nanoseconds_lost),
                          node.IsDamaged());
    }
    if (rows.empty()) rows = CsvCell(node.node) + ",,,,,,,,,,,,true\n";
    return put(rows);
  });
}

bool WriteFleetEvictionsCsv(const FleetReport& report, const VisitNodes& nodes,
                            const PutPiece& put) {
  if (!put("node,at,earliest,latest,policy,pod,uid,signal,limit,kind,available,line,held,"
           "as_recorded,from_record\n")) {
    return false;
  }
  return nodes([&](const FleetNode& node) {
    std::string rows;
    for (const FleetEviction& eviction : node.evictions) {
      const bool by_signal = eviction.signal.has_value();
      rows += fmt::format(
          "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", CsvCell(node.node),
          FormatInstant(eviction.at), FormatInstant(eviction.earliest),
          FormatInstant(eviction.latest),
          CsvCell(report.manifest.policies[static_cast<std::size_t>(eviction.policy)].name),
          CsvCell(eviction.pod), CsvCell(eviction.uid),
          by_signal ? NameOf(*eviction.signal) : std::string_view(), CsvCell(eviction.limit),
          !by_signal      ? ""
          : eviction.soft ? "soft"
                          : "hard",
          eviction.available, eviction.line, eviction.held, eviction.as_recorded,
          eviction.from_record);
    }
    return put(rows);
  });
}

}  // namespace jettison
