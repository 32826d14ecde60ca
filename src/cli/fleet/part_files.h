#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "codec/documents/json.h"
#include "core/fleet/fleet_manifest.h"
#include "core/fleet/fleet_node.h"
#include "core/units/result.h"

namespace jettison {

// Parts that were read and belong together. What is kept is where each node's line is, so memory
// grows by its name and a few words a node.
class PartFiles {
 public:
  // Files, and folders (their files that end in .part). `each` is handed every node once, in no
  // certain order. Fails with every fault, a line each: what cannot be read, what
  // does not belong together, shards that come twice, nodes that do, and shards that are missing
  // unless `partial`.
  [[nodiscard]] static Result<PartFiles> Read(const std::vector<std::string>& paths, bool partial,
                                              const std::function<void(const FleetNode&)>& each);

  [[nodiscard]] const FleetManifest& manifest() const { return manifest_; }
  [[nodiscard]] const std::vector<std::uint64_t>& missing_shards() const { return missing_; }
  // Every node in the order of names; false where a file is not as it was, or `visit` says so.
  [[nodiscard]] bool Visit(const std::function<bool(const FleetNode&)>& visit);

 private:
  friend class PartCollector;
  struct NodeLine {
    std::string node;
    std::size_t source = 0;
    std::int64_t offset = 0;
    std::size_t size = 0;
  };

  FleetManifest manifest_;
  std::vector<std::uint64_t> missing_;
  std::vector<std::string> sources_;  // their paths
  std::vector<NodeLine> lines_;
};

// The files that Read opens for these paths. What cannot be read is left out.
[[nodiscard]] std::vector<std::string> FilesOfParts(const std::vector<std::string>& paths);

}  // namespace jettison
