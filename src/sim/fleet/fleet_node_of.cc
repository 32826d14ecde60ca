#include "sim/fleet/fleet_node_of.h"

#include <cmath>
#include <limits>

#include "sim/report/report_words.h"

namespace jettison {
namespace {

FleetEviction EvictionRow(const SimulatedEviction& eviction, std::size_t policy) {
  FleetEviction row{.at = eviction.when.at,
                    .policy = static_cast<std::int64_t>(policy),
                    .pod = eviction.pod,
                    .uid = eviction.uid,
                    .earliest = eviction.when.earliest,
                    .latest = eviction.when.latest,
                    .signal = {},
                    .soft = eviction.soft,
                    .available = eviction.available,
                    .line = eviction.line,
                    .held = eviction.held,
                    .as_recorded = eviction.as_recorded,
                    .from_record = eviction.from_record};
  if (eviction.limit) {
    row.limit = LimitName(*eviction.limit);
  } else {
    row.signal = eviction.signal;
  }
  return row;
}

PolicySums SumsOf(const PolicyOutcome& outcome) {
  PolicySums sums{.evictions = static_cast<std::int64_t>(outcome.evictions.size()),
                  .oom_kills = static_cast<std::int64_t>(outcome.oom_kills.size())};
  for (std::size_t i = 0; i < sums.condition_nanoseconds.size(); ++i) {
    sums.condition_nanoseconds[i] = outcome.condition_time[i].count();
  }
  sums.kept_free_byte_seconds = WholeByteSeconds(outcome.idle_byte_seconds);
  sums.pod_nanoseconds_lost = outcome.pod_time_lost.count();
  return sums;
}

FleetCalibration CountsOf(const SimulationReport& report) {
  const Calibration& calibration = report.calibration;
  FleetCalibration counts{.evictions = static_cast<std::int64_t>(calibration.truths),
                          .foretold = static_cast<std::int64_t>(calibration.said),
                          .found = static_cast<std::int64_t>(calibration.found),
                          .inside = static_cast<std::int64_t>(calibration.inside)};
  for (const Pairing& pair : calibration.pairs) {
    if (!pair.truth || !pair.said) continue;
    const Duration off = Elapsed(report.facts.evictions[*pair.truth].at,
                                 report.foretold.evictions[*pair.said].when.at);
    counts.AddError(off < Duration{0} ? -off : off);
  }
  return counts;
}

}  // namespace

std::int64_t WholeByteSeconds(double byte_seconds) {
  constexpr double kMost = 9.2e18;  // a little less than the largest 64-bit integer
  if (!(byte_seconds > 0)) return 0;
  if (byte_seconds >= kMost) return std::numeric_limits<std::int64_t>::max();
  return std::llround(byte_seconds);
}

FleetNode FleetNodeOf(const SimulationReport& report) {
  const RecordingFacts& facts = report.facts;
  FleetNode node{.from = facts.from, .to = facts.to};
  node.notes = facts.notes;
  node.passes = static_cast<std::int64_t>(facts.passes);
  node.pods = static_cast<std::int64_t>(facts.pods);
  node.flaws = static_cast<std::int64_t>(facts.flaw_count);
  node.unknown_nanoseconds = facts.unknown.count();
  node.recorded_evictions = static_cast<std::int64_t>(facts.evictions.size());
  node.recorded_oom_kills = static_cast<std::int64_t>(facts.oom_kills.size());
  node.calibration = CountsOf(report);
  for (std::size_t policy = 0; policy < report.outcomes.size(); ++policy) {
    const PolicyOutcome& outcome = report.outcomes[policy];
    node.policies.push_back(SumsOf(outcome));
    for (const SimulatedEviction& eviction : outcome.evictions) {
      node.evictions.push_back(EvictionRow(eviction, policy));
    }
    for (const ForeseenOomKill& kill : outcome.oom_kills) {
      node.oom_kills.push_back({.at = kill.when.at,
                                .policy = static_cast<std::int64_t>(policy),
                                .pod = kill.pod,
                                .uid = kill.uid,
                                .earliest = kill.when.earliest,
                                .latest = kill.when.latest,
                                .why = std::string(NameOf(kill.why))});
    }
  }
  node.Sort();
  return node;
}

}  // namespace jettison
