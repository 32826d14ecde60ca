#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/fleet/fleet_manifest.h"
#include "core/fleet/fleet_node.h"
#include "sim/report/note_list.h"

namespace jettison {

// What is said of a fleet as a whole. Which shards it was simulated in is not in it, unless some
// are missing.
struct FleetReport {
  FleetManifest manifest;
  FleetTotals totals;
  std::vector<std::uint64_t> missing_shards;
};

// The nodes that matter most, no more than so many: those with the most evictions under any policy,
// then pod time lost, then by name.
class TopNodes {
 public:
  struct Node {
    std::string name;
    std::int64_t most_evictions = 0;
    std::int64_t most_lost = 0;           // nanoseconds of pods
    std::vector<std::int64_t> evictions;  // by policy
  };

  explicit TopNodes(std::size_t most) : most_(most) {}
  void Add(const FleetNode& node);
  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }

 private:
  std::size_t most_;
  std::vector<Node> nodes_;  // in their order
};

// What is wrong with recordings; the first few are told.
class DamageList {
 public:
  static constexpr std::size_t kMostTold = 50;

  void Add(const FleetNode& node);
  [[nodiscard]] const std::vector<std::string>& told() const { return told_; }
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  std::vector<std::string> told_;
  std::uint64_t count_ = 0;
};

[[nodiscard]] std::string FleetText(const FleetReport& report, const TopNodes& top,
                                    const NoteList& notes, const DamageList& damage);

// Goes through all nodes, in the order of their names; false: that failed.
using VisitNodes = std::function<bool(const std::function<bool(const FleetNode&)>& visit)>;
// Takes a piece of a document; false: it is lost.
using PutPiece = std::function<bool(std::string_view piece)>;

// Of the kind FleetSimulation. False where nodes or pieces failed.
[[nodiscard]] bool WriteFleetJson(const FleetReport& report, const VisitNodes& nodes,
                                  const PutPiece& put);

// The rows of a table as CSV.
[[nodiscard]] std::string FleetPoliciesCsv(const FleetReport& report);
[[nodiscard]] bool WriteFleetNodesCsv(const FleetReport& report, const VisitNodes& nodes,
                                      const PutPiece& put);
[[nodiscard]] bool WriteFleetEvictionsCsv(const FleetReport& report, const VisitNodes& nodes,
                                          const PutPiece& put);

// Nanoseconds as seconds with nine decimals, without rounding: "1.500000000".
[[nodiscard]] std::string ExactSeconds(Int128 nanoseconds);

}  // namespace jettison
