#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "sim/report/simulation_head.h"
#include "sim/report/simulation_report.h"
#include "sim/report/totals.h"

namespace jettison {

// The kinds of a document, and of the lines of a shard.
inline constexpr std::string_view kSimulationApiVersion = "jettison.io/v1alpha1";
inline constexpr std::string_view kShardKind = "SimulationShard";

struct SimulationWriting {
  enum class Form : std::uint8_t { kText, kJson, kCsv, kLines };  // kLines: of a shard
  enum class Rows : std::uint8_t { kPolicies, kNodes, kEvictions };
  Form form = Form::kText;
  Rows rows = Rows::kNodes;   // of CSV
  std::size_t show = 20;      // in text: evictions of each policy, or nodes
  std::size_t explained = 5;  // in text: differences
};

// Writes what was found of nodes, which come in the order of their names. Memory does not grow with
// them. In text one node is told in full, and several as sums.
class SimulationWriter {
 public:
  // Takes a piece of the document; false: it is lost, and so is the document.
  using Put = std::function<bool(std::string_view piece)>;

  SimulationWriter(SimulationHead head, const SimulationWriting& writing, Put put);

  // These return false once a piece was lost.
  [[nodiscard]] bool Begin();
  [[nodiscard]] bool Add(const SimulationReport& report);
  [[nodiscard]] bool End();

 private:
  [[nodiscard]] std::string RowsOf(const SimulationReport& report) const;
  [[nodiscard]] std::string Text() const;

  SimulationHead head_;
  SimulationWriting writing_;
  Put put_;
  FleetSummary fleet_;
  std::optional<SimulationReport> only_;  // while there is one node alone
};

}  // namespace jettison
