#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/pass/pass.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "sim/whatif/whatif.h"

namespace jettison {

class NodeCourses;  // sim/page/page_data.h

// An eviction that is here and not there, or at two times.
struct Pairing {
  std::optional<std::size_t> truth;  // among the true ones; absent: it is false
  std::optional<std::size_t> said;   // among those that were foretold; absent: it was missed
};

// How well a simulation found the recorded evictions.
struct Calibration {
  Duration every{0};  // so far apart the samples were for that; zero: as recorded
  std::size_t truths = 0;
  std::size_t said = 0;
  // Predictions whose bounds are wider than kWidestBounds: they are neither found nor false.
  std::size_t unknown = 0;
  std::size_t found = 0;         // truths with a prediction of the same pod at about that time
  std::size_t inside = 0;        // ... whose time lies within the bounds that were stated
  std::vector<Duration> errors;  // of the times of those that were found, none of them negative
  std::vector<Pairing> pairs;    // every truth, then what is false or not known

  // Adds what was found on another node, without its pairs.
  void Add(const Calibration& other);
  // Half of the errors are not larger; absent: nothing was found.
  [[nodiscard]] std::optional<Duration> MedianError() const;
  [[nodiscard]] std::optional<Duration> WorstError() const;
  // Shares from 0 to 1; absent where there is nothing to divide by. Precision is that of those that
  // are known.
  [[nodiscard]] std::optional<double> Recall() const;
  [[nodiscard]] std::optional<double> Precision() const;
  [[nodiscard]] std::optional<double> Coverage() const;
};

// An eviction that is foretold for a time within these bounds is known; with wider ones it says too
// little to be right.
inline constexpr Duration kWidestBounds = std::chrono::minutes(1);
[[nodiscard]] bool IsKnown(const TimeBounds& when);

// Pairs each true eviction with the nearest one of the same pod that was foretold: within its
// bounds, or no further off than `reach`.
[[nodiscard]] Calibration Compare(const std::vector<SimulatedEviction>& truths,
                                  const std::vector<SimulatedEviction>& said, Duration reach);

// A recording that was read.
struct SimulatedInput {
  std::string name;         // for people: below the folder that was given
  std::uint64_t bytes = 0;  // read
  bool unread = false;      // it could not be read to its end, though it may be another time
  std::vector<std::string> faults;  // what is wrong with it, and was left out
};

// Where two sides differ in their evictions.
struct DifferenceReport {
  struct Difference {  // in an eviction that is not on both sides, or not at the same time
    std::optional<SimulatedEviction> a;
    std::optional<SimulatedEviction> b;
  };
  std::string a_name;
  std::string b_name;
  std::size_t a_count = 0;  // of all evictions
  std::size_t b_count = 0;
  std::vector<Difference> differences;  // in the order of time
};

// What was found of one node.
struct SimulationReport {
  std::vector<SimulatedInput> inputs;  // in the order of time
  std::string failure;                 // why it could not be simulated; then there are no outcomes
  RecordingFacts facts;
  Calibration calibration;  // of the policy that was in force, by samples alone
  PolicyOutcome foretold;   // by that calibration
  std::vector<PolicyOutcome> outcomes;
  std::vector<PassPolicy> policies;  // of the outcomes, as each was when the recording began; what
                                     // follows is not in the result of a shard
  std::vector<DifferenceReport> differences;
  std::shared_ptr<const NodeCourses> courses;  // of its signals; null: nobody asked for them

  // Its recording for people, or the first of several.
  [[nodiscard]] std::string_view recording() const;
  // Whether something of its recordings was left out, or all of them.
  [[nodiscard]] bool IsDamaged() const;
  // Every fault of its inputs with the name of that, and why it could not be simulated.
  [[nodiscard]] std::vector<std::string> Faults() const;
};

// Compares what was foretold with what is recorded.
void Calibrate(SimulationReport& report);

// What one policy costs, added up over nodes.
struct PolicyCosts {
  std::uint64_t evictions = 0;         // for thresholds and limits of local storage
  std::uint64_t memory_evictions = 0;  // of these: because memory was short
  std::uint64_t oom_kills = 0;
  std::uint64_t nodes_with_evictions = 0;
  double idle_byte_seconds = 0;  // as of an outcome
  Duration condition_time{0};
  Duration pod_time_lost{0};

  void Add(const PolicyOutcome& outcome);
  // Memory that was kept free, in thousandths of a GiB hour, as it is printed: what differs by less
  // is the same.
  [[nodiscard]] std::int64_t IdleMilliGibHours() const;
  [[nodiscard]] double IdleGibHours() const {
    return static_cast<double>(IdleMilliGibHours()) / 1000;
  }
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
  std::vector<PolicyCosts> policies;
};
// `policies`: how many were tried.
[[nodiscard]] SimulationTotals TotalsOf(const std::vector<SimulationReport>& nodes,
                                        std::size_t policies);

// A part of a fleet: the nodes whose names hash to it.
struct FleetShard {
  std::uint64_t index = 0;  // from 0 to count - 1, as Kubernetes and Slurm count
  std::uint64_t count = 1;

  static constexpr std::uint64_t kMost = 1'000'000;

  // By FNV-1a with 64 bits, of the bytes of a node's name: its remainder by the number of shards is
  // the shard. It is the same in every version and on every machine.
  [[nodiscard]] bool Has(std::string_view node) const;
  // "3/16".
  [[nodiscard]] std::string Text() const;
  friend bool operator==(const FleetShard&, const FleetShard&) = default;
};

// Parses INDEX/COUNT; fails with a sentence that says what is allowed.
[[nodiscard]] Result<FleetShard> ParseShard(std::string_view text);

// A name and what it stands for: a policy and its settings as JSON (empty: those in force on each
// node), or an option of the simulation and its value.
struct NamedSetting {
  std::string name;
  std::string value;
  friend bool operator==(const NamedSetting&, const NamedSetting&) = default;
};

// How nodes were simulated: the program, the inputs, the policies and the options.
struct SimulationHead {
  std::string version;  // of the program
  std::vector<NamedSetting> options;
  std::vector<NamedSetting> policies;
  FleetShard shard;
  // Of the whole fleet, as the shard saw it: how many recordings, and a hash of their names, sizes
  // and nodes.
  std::uint64_t recordings = 0;
  std::string hash;
};

// What was found of nodes, which are in the order of their names.

// One node in full: the calibration first, then a table of the policies, then who is evicted when
// and why, then the differences. Of several their sums. At most so many evictions of each policy,
// or nodes, are shown.
[[nodiscard]] std::string SimulationText(const SimulationHead& head,
                                         const std::vector<SimulationReport>& nodes,
                                         std::size_t shown = 20);
// A document of the kind Simulation.
[[nodiscard]] std::string SimulationJson(const SimulationHead& head,
                                         const std::vector<SimulationReport>& nodes);
// A table with a row for each node and policy.
[[nodiscard]] std::string SimulationCsv(const std::vector<SimulationReport>& nodes);
// The lines of a shard: the head, of the kind SimulationShard, a line for each node, and how many
// these are.
[[nodiscard]] std::string ShardText(const SimulationHead& head,
                                    const std::vector<SimulationReport>& nodes);
// The last of them, without its end.
[[nodiscard]] std::string ShardEnd(std::size_t nodes);
inline constexpr std::string_view kSimulationApiVersion = "jettison.io/v1alpha1";
inline constexpr std::string_view kShardKind = "SimulationShard";

// What recordings are, and how well their evictions are found from samples alone.
[[nodiscard]] std::string HeadText(const std::vector<SimulationReport>& reports);
// The name of a policy and its evictions and OOM kills, at most so many of each; empty where it has
// none.
[[nodiscard]] std::string EvictionsText(const PolicyOutcome& outcome, std::size_t most);

// The differences of two sides, without their names. Of a pod those evictions are one and the same
// that are within `reach` of each other, and of what is left those that are nearest, within a day.
[[nodiscard]] DifferenceReport DifferencesOf(const std::vector<SimulatedEviction>& a,
                                             const std::vector<SimulatedEviction>& b,
                                             Duration reach);
// What really was, as evictions whose time is known.
[[nodiscard]] std::vector<SimulatedEviction> WhatHappened(const RecordingFacts& facts);
// Where two sides differ.
[[nodiscard]] std::string DifferenceText(const DifferenceReport& report);
[[nodiscard]] std::string DifferenceJson(const DifferenceReport& report);

// "98.0 MiB", exact where that is as easy to read: "100Mi".
[[nodiscard]] std::string ShownAmount(Signal signal, std::int64_t amount);
// "memory.available 98.0 MiB < 100Mi", exact where rounding would hide that; or what the minimum
// reclaim of a threshold holds; or the limit that was broken.
[[nodiscard]] std::string ReasonText(const SimulatedEviction& eviction);
// "12.3 s", "4.5 min", "3.2 h".
[[nodiscard]] std::string LengthText(Duration span);
// "1 eviction", "2 evictions".
[[nodiscard]] std::string CountText(std::size_t count, std::string_view one);

}  // namespace jettison
