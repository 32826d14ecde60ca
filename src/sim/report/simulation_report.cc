#include "sim/report/simulation_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "core/json/json_writer.h"
#include "core/text/number.h"
#include "sim/report/report_fields.h"

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

std::string DifferenceJson(const DifferenceReport& report) {
  std::string out;
  JsonWriter json(out);
  const auto side = [&](std::string_view name, const std::optional<SimulatedEviction>& eviction) {
    if (!eviction) return;
    json.Object(name, [&] {
      WriteFields(eviction->when, json);
      json.Field("reason", ReasonText(*eviction));
    });
  };
  json.Object([&] {
    json.Field("a", report.a_name);
    json.Field("b", report.b_name);
    json.Objects("differences", report.differences, [&](const DifferenceReport::Difference& each) {
      const SimulatedEviction& first = each.a ? *each.a : *each.b;
      json.Field("pod", first.pod);
      json.Field("uid", first.uid);
      side("a", each.a);
      side("b", each.b);
    });
  });
  return out;
}

namespace {

// In quotes where it has to be (RFC 4180).
std::string CsvCell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
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
        const PolicyCosts& sums = totals.policies[i];
        json.Object([&] {
          json.Field("name", head.policies[i].name);
          json.Field("nodesWithEvictions", sums.nodes_with_evictions);
          json.Field("evictionCount", sums.evictions);
          json.Field("oomKillCount", sums.oom_kills);
          json.Field("conditionSeconds", SecondsOf(sums.condition_time));
          json.Field("keptFreeGibHours", sums.idle_byte_seconds / kByteSecondsOfGibHour);
          json.Field("podSecondsLost", SecondsOf(sums.pod_time_lost));
        });
      }
    });
  });
}

}  // namespace

std::string SimulationJson(const SimulationHead& head, const std::vector<SimulationReport>& nodes) {
  std::string out = BeginningOf(head, "Simulation") + ",\"recordings\":[";
  for (const SimulationReport& node : nodes) {
    out += &node == nodes.data() ? "\n" : ",\n";
    out += JsonOfReport(node);
  }
  return out + "\n],\"totals\":" + JsonOfTotals(head, TotalsOf(nodes, head.policies.size())) +
         "}\n";
}

std::string SimulationCsv(const std::vector<SimulationReport>& nodes) {
  std::string out =
      "recording,node,policy,evictions,oom_kills,condition_seconds,kept_free_gib_hours,"
      "pod_seconds_lost,damaged\n";
  for (const SimulationReport& node : nodes) {
    const std::string place =
        fmt::format("{},{}", CsvCell(std::string(node.recording())), CsvCell(node.facts.node));
    if (node.outcomes.empty()) out += place + ",,,,,,,true\n";
    for (const PolicyOutcome& outcome : node.outcomes) {
      out += fmt::format("{},{},{},{},{:.3f},{:.6f},{:.3f},{}\n", place, CsvCell(outcome.name),
                         outcome.evictions.size(), outcome.oom_kills.size(),
                         SecondsOf(outcome.condition_time.Sum()), outcome.IdleGibHours(),
                         SecondsOf(outcome.pod_time_lost), node.IsDamaged());
    }
  }
  return out;
}

std::string ShardEnd(std::size_t nodes) {
  return fmt::format("{{\"end\":{{\"nodes\":{}}}}}", nodes);
}

std::string ShardText(const SimulationHead& head, const std::vector<SimulationReport>& nodes) {
  std::string out = BeginningOf(head, kShardKind) + "}\n";
  for (const SimulationReport& node : nodes) out += JsonOfReport(node) + "\n";
  return out + ShardEnd(nodes.size()) + "\n";
}

}  // namespace jettison
