#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/fleet/fleet_manifest.h"
#include "core/recording/recording.h"
#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison {

// A file with a recording of some node of a fleet.
struct FleetFile {
  std::string name;  // below the folder that was given; as it was given, where it is a file
  std::string path;
  std::uint64_t bytes = 0;
  std::string node;             // as it begins; its name without extension, where it names none
  std::optional<Instant> from;  // when it begins; absent: that cannot be read
};

// The files of one node, in the order of time.
struct FleetNodeFiles {
  std::string node;
  std::vector<FleetFile> files;
};

// Every recording in these files and folders, and in folders below those, by name. In folders those
// are files that end in .jtr, .ndjson or .jsonl. Fails with every fault, a line each.
[[nodiscard]] Result<std::vector<FleetFile>> FindRecordings(const std::vector<std::string>& paths);

// The nodes of a shard, by name.
[[nodiscard]] std::vector<FleetNodeFiles> NodesOfShard(const std::vector<FleetFile>& files,
                                                       const FleetShard& shard);

// A hash of the names, sizes and nodes of all files.
[[nodiscard]] std::string HashOfFiles(const std::vector<FleetFile>& files);

}  // namespace jettison
