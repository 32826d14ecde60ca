#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/signal.h"
#include "core/model/summary.h"
#include "core/model/threshold.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "sim/imported/tracks.h"

namespace jettison {

// Where a node keeps what its two file systems hold.
struct ImportPaths {
  std::string node_fs = "/var/lib/kubelet";
  std::string image_fs = "/var/lib/containerd";
};

// The figures of a node, each from the first series in the order of preference that exists. Notes
// what the missing ones cost.
class NodeFigures {
 public:
  // `tracks` must outlive this. kNotFound: nothing tells the node's memory.
  [[nodiscard]] static Result<NodeFigures> Of(NodeTracks& tracks, const ImportPaths& paths,
                                              std::vector<std::string>& notes);

  // The samples of the node's memory, which say when there is a pass.
  [[nodiscard]] const Track& clock() const { return *Of(Signal::kMemoryAvailable).amount; }
  // Adds a sample of the moment of an eviction to what tells of memory: the least that the agent
  // has seen in this time, or what it would be had it grown on.
  void GrowTo(Instant at);
  [[nodiscard]] DiskLayout layout() const { return layout_; }
  [[nodiscard]] NodeStats At(const std::string& node, Instant at) const;

 private:
  // What series tell of a signal; null: nothing.
  struct Figure {
    Track* amount = nullptr;
    std::vector<Track*> capacities;  // the first counts that has a value at a moment
    bool is_used = false;            // the amount is what is used, and else what is available
    const Track* least = nullptr;    // of what is available, since the sample before
  };
  struct Left {
    std::uint64_t available = 0;
    std::uint64_t capacity = 0;
  };

  [[nodiscard]] const Figure& Of(Signal signal) const { return figures_[IndexOf(signal)]; }
  void TakeDisks(NodeTracks& tracks, const ImportPaths& paths, std::vector<std::string>& notes);
  [[nodiscard]] std::optional<Left> LeftAt(Signal signal, Instant at) const;
  [[nodiscard]] std::optional<MemoryStats> MemoryAt(Signal signal, Instant at) const;
  [[nodiscard]] std::optional<FsStats> DiskAt(Signal bytes, Signal inodes, Instant at) const;
  [[nodiscard]] std::optional<PressureStats> PressureAt(std::string_view resource,
                                                        Instant at) const;

  std::array<Figure, kSignalCount> figures_;
  DiskLayout layout_;
};

}  // namespace jettison
