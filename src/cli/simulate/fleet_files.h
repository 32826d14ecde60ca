#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/recording/recording.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "sim/report/simulation_head.h"

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

}  // namespace jettison
