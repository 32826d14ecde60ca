#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/report/simulation_head.h"
#include "sim/report/simulation_report.h"

namespace jettison {

// The kinds of a document, and of the lines of a shard.
inline constexpr std::string_view kSimulationApiVersion = "jettison.io/v1alpha1";
inline constexpr std::string_view kShardKind = "SimulationShard";

struct SimulationWriting {
  enum class Form : std::uint8_t { kText, kJson, kCsv, kLines };  // kLines: of a shard
  enum class Rows : std::uint8_t { kPolicies, kNodes, kEvictions };
  Form form = Form::kText;
  Rows rows = Rows::kNodes;  // of CSV
  TextLimits limits;
};

// What was found of nodes, which are in the order of their names.
[[nodiscard]] std::string SimulationDocument(const SimulationHead& head,
                                             const std::vector<SimulationReport>& nodes,
                                             const SimulationWriting& writing);

}  // namespace jettison
