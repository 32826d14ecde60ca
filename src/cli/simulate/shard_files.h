#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/result.h"
#include "sim/report/simulation_head.h"
#include "sim/report/simulation_report.h"

namespace jettison {

// Reads and checks the lines of a shard's result.
class ShardLines {
 public:
  // The first line. kUnavailable: it is of another version.
  [[nodiscard]] Result<void> TakeHead(std::string_view line);
  // Any other line; nothing where it is the end.
  [[nodiscard]] Result<std::optional<SimulationReport>> TakeNode(std::string_view line);

  [[nodiscard]] const SimulationHead& head() const { return head_; }

 private:
  SimulationHead head_;
  std::string last_node_;
  std::uint64_t nodes_ = 0;
};

// What these paths mean: files, and of folders those that end in .ndjson. Fails with every fault, a
// line each: a folder that cannot be read or has none.
[[nodiscard]] Result<std::vector<std::string>> FilesOfShards(const std::vector<std::string>& paths);

// The results of all shards of a fleet as one.
struct ShardSum {
  SimulationHead head;                  // with the shards that are missing
  std::vector<SimulationReport> nodes;  // in the order of their names
};
// Fails with every fault, a line each: what cannot be read, is damaged or does not belong together,
// shards that come twice, and shards that are missing unless `partial`.
[[nodiscard]] Result<ShardSum> SumOfShards(const std::vector<std::string>& files, bool partial);

}  // namespace jettison
