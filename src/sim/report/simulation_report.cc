#include "sim/report/simulation_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/units/duration.h"

namespace jettison {

namespace {

Duration Off(Instant a, Instant b) {
  const Duration off = Elapsed(a, b);
  return off < Duration{0} ? -off : off;
}

std::optional<double> ShareOf(std::size_t part, std::size_t all) {
  if (all == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(all);
}

bool IsForMemory(const SimulatedEviction& eviction) {
  return !eviction.limit && ResourceOf(eviction.signal) == Resource::kMemory;
}

// The nearest prediction that is not paired with another truth.
std::optional<std::size_t> NearestOf(const RecordedFact& truth,
                                     const std::vector<SimulatedEviction>& said,
                                     const std::vector<bool>& taken, Duration reach) {
  std::optional<std::size_t> nearest;
  for (std::size_t i = 0; i < said.size(); ++i) {
    if (taken[i] || said[i].uid != truth.uid) continue;
    const Duration off = Off(truth.at, said[i].when.at);
    if (!said[i].when.Holds(truth.at) && off > reach) continue;
    if (!nearest || off < Off(truth.at, said[*nearest].when.at)) nearest = i;
  }
  return nearest;
}

}  // namespace

void Calibration::Add(const Calibration& other) {
  every = other.every;
  truths += other.truths;
  said += other.said;
  unknown += other.unknown;
  found += other.found;
  inside += other.inside;
  errors.insert(errors.end(), other.errors.begin(), other.errors.end());
}

std::optional<Duration> Calibration::MedianError() const {
  if (errors.empty()) return std::nullopt;
  std::vector<Duration> sorted = errors;
  std::ranges::sort(sorted);
  return sorted[(sorted.size() - 1) / 2];
}

std::optional<Duration> Calibration::WorstError() const {
  if (errors.empty()) return std::nullopt;
  return std::ranges::max(errors);
}

std::optional<double> Calibration::Recall() const {
  return ShareOf(found, truths);
}

std::optional<double> Calibration::Precision() const {
  return ShareOf(found, said - unknown);
}

std::optional<double> Calibration::Coverage() const {
  return ShareOf(inside, found);
}

bool IsKnown(const TimeBounds& when) {
  return Elapsed(when.earliest, when.latest) <= kWidestBounds;
}

Calibration Compare(const std::vector<RecordedFact>& truths,
                    const std::vector<SimulatedEviction>& said, Duration reach) {
  Calibration result{.truths = truths.size(), .said = said.size()};
  std::vector<bool> taken(said.size());
  for (std::size_t i = 0; i < truths.size(); ++i) {
    const auto nearest = NearestOf(truths[i], said, taken, reach);
    result.pairs.push_back({.truth = i, .said = nearest});
    if (!nearest) continue;
    taken[*nearest] = true;
    if (!IsKnown(said[*nearest].when)) continue;
    ++result.found;
    result.inside += said[*nearest].when.Holds(truths[i].at) ? 1 : 0;
    result.errors.push_back(Off(truths[i].at, said[*nearest].when.at));
  }
  for (std::size_t i = 0; i < said.size(); ++i) {
    if (!taken[i]) result.pairs.push_back({.truth = {}, .said = i});
    if (!IsKnown(said[i].when)) ++result.unknown;
  }
  return result;
}

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

void PolicyCosts::Add(const PolicyOutcome& outcome) {
  evictions += outcome.evictions.size();
  memory_evictions +=
      static_cast<std::uint64_t>(std::ranges::count_if(outcome.evictions, IsForMemory));
  oom_kills += outcome.oom_kills.size();
  nodes_with_evictions += outcome.evictions.empty() ? 0 : 1;
  idle_byte_seconds += outcome.idle_byte_seconds;
  condition_time += outcome.condition_time.Sum();
  pod_time_lost += outcome.pod_time_lost;
}

std::int64_t PolicyCosts::IdleMilliGibHours() const {
  return std::llround(idle_byte_seconds / kByteSecondsOfGibHour * 1000);
}

SimulationTotals TotalsOf(const std::vector<SimulationReport>& nodes, std::size_t policies) {
  SimulationTotals totals{.nodes = nodes.size()};
  totals.policies.resize(policies);
  for (const SimulationReport& node : nodes) {
    const RecordingFacts& facts = node.facts;
    totals.nodes_failed += node.failure.empty() ? 0 : 1;
    for (const SimulatedInput& input : node.inputs) {
      ++totals.recordings;
      totals.recordings_damaged += input.faults.empty() ? 0 : 1;
      totals.bytes += input.bytes;
    }
    totals.passes += facts.passes;
    totals.pods += facts.pods;
    totals.flaws += facts.flaw_count;
    totals.unknown_seconds += SecondsOf(facts.unknown);
    totals.recorded_evictions += facts.evictions.size();
    totals.recorded_oom_kills += facts.oom_kills.size();
    totals.calibration.Add(node.calibration);
    for (std::size_t i = 0; i < node.outcomes.size(); ++i) {
      totals.policies[i].Add(node.outcomes[i]);
    }
  }
  return totals;
}

}  // namespace jettison
