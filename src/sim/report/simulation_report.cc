#include "sim/report/simulation_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "core/text/number.h"

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
std::optional<std::size_t> NearestOf(const SimulatedEviction& truth,
                                     const std::vector<SimulatedEviction>& said,
                                     const std::vector<bool>& taken, Duration reach) {
  std::optional<std::size_t> nearest;
  const Instant at = truth.when.at;
  for (std::size_t i = 0; i < said.size(); ++i) {
    if (taken[i] || said[i].uid != truth.uid) continue;
    const Duration off = Off(at, said[i].when.at);
    if (!said[i].when.Holds(at) && off > reach) continue;
    if (!nearest || off < Off(at, said[*nearest].when.at)) nearest = i;
  }
  return nearest;
}

// Every truth, with a partner within the first of these reaches in which it has one, then what is
// left of `said`.
std::vector<Pairing> PairsWithin(std::initializer_list<Duration> reaches,
                                 const std::vector<SimulatedEviction>& truths,
                                 const std::vector<SimulatedEviction>& said) {
  std::vector<Pairing> pairs(truths.size());
  std::vector<bool> taken(said.size());
  for (const Duration reach : reaches) {
    for (std::size_t i = 0; i < truths.size(); ++i) {
      pairs[i].truth = i;
      if (!pairs[i].said) pairs[i].said = NearestOf(truths[i], said, taken, reach);
      if (pairs[i].said) taken[*pairs[i].said] = true;
    }
  }
  for (std::size_t i = 0; i < said.size(); ++i) {
    if (!taken[i]) pairs.push_back({.truth = {}, .said = i});
  }
  return pairs;
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

Calibration Compare(const std::vector<SimulatedEviction>& truths,
                    const std::vector<SimulatedEviction>& said, Duration reach) {
  Calibration result{
      .truths = truths.size(), .said = said.size(), .pairs = PairsWithin({reach}, truths, said)};
  for (const Pairing& pair : result.pairs) {
    if (pair.said && !IsKnown(said[*pair.said].when)) {
      ++result.unknown;
    } else if (pair.truth && pair.said) {
      const TimeBounds& when = said[*pair.said].when;
      const Instant truth = truths[*pair.truth].when.at;
      ++result.found;
      result.inside += when.Holds(truth) ? 1 : 0;
      result.errors.push_back(Off(truth, when.at));
    }
  }
  return result;
}

DifferenceReport DifferencesOf(const std::vector<SimulatedEviction>& a,
                               const std::vector<SimulatedEviction>& b, Duration reach) {
  // If another policy moves the eviction of a pod, it is still within this time.
  constexpr Duration kOneLife = std::chrono::hours(24);
  DifferenceReport report{.a_count = a.size(), .b_count = b.size()};
  using Difference = DifferenceReport::Difference;
  for (const Pairing& pair : PairsWithin({reach, kOneLife}, a, b)) {
    Difference each;
    if (pair.truth) each.a = a[*pair.truth];
    if (pair.said) each.b = b[*pair.said];
    const bool alike = each.a && each.b &&
                       (each.a->when.Holds(each.b->when.at) || each.b->when.Holds(each.a->when.at));
    if (!alike) report.differences.push_back(std::move(each));
  }
  std::ranges::stable_sort(report.differences, {}, [](const Difference& each) {
    return each.a ? each.a->when.at : each.b->when.at;
  });
  return report;
}

std::vector<SimulatedEviction> WhatHappened(const RecordingFacts& facts) {
  std::vector<SimulatedEviction> evictions;
  for (const RecordedFact& fact : facts.evictions) {
    SimulatedEviction& eviction = evictions.emplace_back();
    eviction.uid = fact.uid;
    eviction.pod = fact.pod;
    eviction.when = {fact.at, fact.at, fact.at};
    eviction.signal = fact.signal;
    eviction.limit = fact.limit;
    eviction.as_recorded = true;
    eviction.soft = fact.soft;
    eviction.available = fact.available;
    eviction.line = fact.line;
  }
  return evictions;
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
  report.calibration = Compare(WhatHappened(report.facts), report.foretold.evictions, reach);
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

bool FleetShard::Has(std::string_view node) const {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : node) {
    hash ^= static_cast<std::uint8_t>(c);
    hash *= 0x100000001b3U;
  }
  return hash % count == index;
}

std::string FleetShard::Text() const {
  return fmt::format("{}/{}", index, count);
}

Result<FleetShard> ParseShard(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto fail = [text](std::string_view why) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("--shard {}: {}", text, why));
  };
  if (slash == std::string_view::npos) return fail("must be INDEX/COUNT, such as 0/16");
  const auto index = ParseNumber<std::uint64_t>(text.substr(0, slash));
  const auto count = ParseNumber<std::uint64_t>(text.substr(slash + 1));
  if (!index || !count) return fail("must be INDEX/COUNT, such as 0/16");
  if (*count == 0 || *count > FleetShard::kMost) {
    return fail(fmt::format("COUNT must be from 1 to {}", FleetShard::kMost));
  }
  if (*index >= *count) {
    return fail(fmt::format("shards count from 0, so INDEX must be from 0 to {}", *count - 1));
  }
  return FleetShard{.index = *index, .count = *count};
}

}  // namespace jettison
