#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/report/simulation_head.h"
#include "sim/report/simulation_report.h"

namespace jettison {

// Notes of several recordings: each note once, with the number of recordings that have it. Only the
// first few are listed.
class NoteList {
 public:
  static constexpr std::size_t kMostTold = 20;

  // Those of one.
  void Add(std::span<const std::string> notes);
  // A paragraph that says of how many of `all` each note is; `one` is what one of them is called.
  // Empty: there are no notes.
  [[nodiscard]] std::string Text(std::size_t all, std::string_view one) const;

 private:
  struct Note {
    std::string text;
    std::size_t times = 0;
  };
  std::vector<Note> told_;
  std::size_t more_ = 0;
};

// What one policy does to all nodes. Lengths of time are in seconds.
struct PolicyTotals {
  std::uint64_t evictions = 0;
  std::uint64_t oom_kills = 0;
  std::uint64_t nodes_with_evictions = 0;
  double condition_seconds = 0;
  double idle_byte_seconds = 0;
  double pod_seconds_lost = 0;
};

// Sums over nodes, which are added in the order of their names, so that the sums are the same
// however the nodes were divided.
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

  void Add(const SimulationReport& report);
};

// One of the nodes that matter most.
struct TopNode {
  std::string name;
  std::size_t most_evictions = 0;
  Duration most_lost{0};
  std::vector<std::size_t> evictions;  // by policy
};

// All that is said of several nodes together.
struct FleetSummary {
  static constexpr std::size_t kMostDamage = 50;

  std::size_t most_nodes = 0;  // in `top`
  SimulationTotals totals;
  // Those with the most evictions under any policy, then pod time lost, then by name.
  std::vector<TopNode> top;
  NoteList notes;
  std::vector<std::string> damage;  // what is wrong with recordings; the first kMostDamage
  std::size_t damage_count = 0;

  void Add(const SimulationReport& report);
};
[[nodiscard]] std::string FleetText(const SimulationHead& head, const FleetSummary& fleet);

}  // namespace jettison
