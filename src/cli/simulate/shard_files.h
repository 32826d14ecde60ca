#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/documents/json.h"
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
  JsonReader json_;
  SimulationHead head_;
  std::string last_node_;
  std::uint64_t nodes_ = 0;
};

// What these paths mean: files, and of folders those that end in .ndjson. A folder without any, and
// what cannot be read, is left to Open.
[[nodiscard]] std::vector<std::string> FilesOfShards(const std::vector<std::string>& paths);

// The results of all shards of a fleet as one, in the order of nodes.
class ShardFiles {
 public:
  // Fails with every fault, a line each: what cannot
  // be read, what does not belong together, shards that come twice, and shards that are
  // missing unless `partial`.
  [[nodiscard]] static Result<ShardFiles> Open(const std::vector<std::string>& paths, bool partial);
  ShardFiles(ShardFiles&&) noexcept;
  ShardFiles& operator=(ShardFiles&&) noexcept;
  ~ShardFiles();

  // With the shards that are missing.
  [[nodiscard]] const SimulationHead& head() const { return head_; }
  // The next node; nothing: this was the last one. Fails where a file is damaged or cut off.
  [[nodiscard]] Result<std::optional<SimulationReport>> Next();

 private:
  class File;
  ShardFiles();

  SimulationHead head_;
  std::vector<std::unique_ptr<File>> files_;
};

}  // namespace jettison
