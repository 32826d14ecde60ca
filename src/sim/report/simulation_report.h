#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/pass/pass.h"
#include "core/units/duration.h"
#include "sim/report/calibration.h"
#include "sim/report/simulation_head.h"
#include "sim/whatif/whatif_result.h"

namespace jettison {

// A recording that was read.
struct SimulatedInput {
  std::string name;         // for people: below the folder that was given
  std::uint64_t bytes = 0;  // read
  bool unread = false;      // it could not be read to its end, though it may be another time
  std::vector<std::string> faults;  // what is wrong with it, and was left out
};

// Two sides of a comparison.
struct DifferenceReport {
  std::string a_name;
  std::string b_name;
  std::vector<SimulatedEviction> a;
  std::vector<SimulatedEviction> b;
  std::vector<Pairing> pairs;  // `truth` is a's, `said` is b's
};

// What was found of one node.
struct SimulationReport {
  std::vector<SimulatedInput> inputs;  // in the order of time
  std::string failure;                 // why it could not be simulated; then there are no outcomes
  RecordingFacts facts;
  Calibration calibration;  // of the policy that was in force, by samples alone
  PolicyOutcome foretold;   // by that calibration
  std::vector<PolicyOutcome> outcomes;
  std::vector<PassPolicy> policies;  // of the outcomes, as each was when the recording began; these
                                     // and the differences are not in the result of a shard
  std::vector<DifferenceReport> differences;

  // Its recording for people, or the first of several.
  [[nodiscard]] std::string_view recording() const;
  // Whether something of its recordings was left out, or all of them.
  [[nodiscard]] bool IsDamaged() const;
  // Every fault of its inputs with the name of that, and why it could not be simulated.
  [[nodiscard]] std::vector<std::string> Faults() const;
};

// Compares what was foretold with what is recorded.
void Calibrate(SimulationReport& report);

// What one policy does to all nodes. Lengths of time are in seconds.
struct PolicyTotals {
  std::uint64_t evictions = 0;
  std::uint64_t oom_kills = 0;
  std::uint64_t nodes_with_evictions = 0;
  double condition_seconds = 0;
  double idle_byte_seconds = 0;
  double pod_seconds_lost = 0;
};

// Sums over nodes.
struct SimulationTotals {
  std::uint64_t nodes = 0;
  std::uint64_t nodes_failed = 0;  // of which nothing could be simulated
  std::uint64_t recordings = 0;
  std::uint64_t recordings_damaged = 0;
  std::uint64_t bytes = 0;
  std::uint64_t passes = 0;
  std::uint64_t pods = 0;
  std::uint64_t flaws = 0;
  double unknown_seconds = 0;
  std::uint64_t recorded_evictions = 0;
  std::uint64_t recorded_oom_kills = 0;
  Calibration calibration;  // without its pairs
  std::vector<PolicyTotals> policies;
};
// `policies`: how many were tried.
[[nodiscard]] SimulationTotals TotalsOf(const std::vector<SimulationReport>& nodes,
                                        std::size_t policies);

struct TextLimits {
  std::size_t shown = 20;     // evictions of each policy, or nodes
  std::size_t explained = 5;  // differences
};
// One node in full: the calibration first, then a table of the policies, then who is evicted when
// and why, then the differences. Of several, or where shards are missing, their sums.
[[nodiscard]] std::string SimulationText(const SimulationHead& head,
                                         const std::vector<SimulationReport>& nodes,
                                         const TextLimits& limits = {});
// What recordings are, and how well their evictions are found from samples alone.
[[nodiscard]] std::string HeadText(const std::vector<SimulationReport>& reports);
// The name of a policy and its evictions and OOM kills, at most so many of each; empty where it has
// none.
[[nodiscard]] std::string EvictionsText(const PolicyOutcome& outcome, std::size_t most);

// Which evictions of two sides are one and the same: of a pod those within `reach` of each other,
// and of what is left then those that are nearest, within a day.
[[nodiscard]] std::vector<Pairing> PairsOf(const std::vector<SimulatedEviction>& a,
                                           const std::vector<SimulatedEviction>& b, Duration reach);
// What really was, as evictions whose time is known.
[[nodiscard]] std::vector<SimulatedEviction> WhatHappened(const RecordingFacts& facts);
// Where two sides differ, each eviction with the explanation of its pass; at most so many of those.
[[nodiscard]] std::string DifferenceText(const DifferenceReport& report, std::size_t explained);
[[nodiscard]] std::string DifferenceJson(const DifferenceReport& report);

}  // namespace jettison
