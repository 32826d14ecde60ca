#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/documents/json.h"
#include "core/recording/recording.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "sim/report/simulation_head.h"
#include "sim/report/simulation_report.h"

namespace jettison {

// A file with a recording of some node of a fleet.
struct FleetFile {
  std::string name;  // below the folder that was given; as it was given, where it is a file
  std::string path;  // "-": standard input
  std::uint64_t bytes = 0;
  // As it begins; its name without extension, where it names none; empty: of a stream.
  std::string node;
  bool is_stream = false;       // it can be read only once
  std::optional<Instant> from;  // when it begins; absent: that cannot be read
};

// The files of one node, in the order of time.
struct FleetNodeFiles {
  std::string node;
  std::vector<FleetFile> files;
};

// Every recording in these files and folders, and in folders below those, by name. In folders those
// are files that end in .jtr, .ndjson or .jsonl. A stream (standard input, a pipe, a device) stands
// alone, because recordings of several nodes are read more than once. Fails with every fault, a
// line each, and where there is no recording.
[[nodiscard]] Result<std::vector<FleetFile>> FindRecordings(const std::vector<std::string>& paths);

// The nodes of a shard, by name.
[[nodiscard]] std::vector<FleetNodeFiles> NodesOfShard(const std::vector<FleetFile>& files,
                                                       const FleetShard& shard);

// A hash of the names, sizes and nodes of all files.
[[nodiscard]] std::string HashOfFiles(const std::vector<FleetFile>& files);

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
