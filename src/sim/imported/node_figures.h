#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
  [[nodiscard]] static Result<NodeFigures> Of(const NodeTracks& tracks, const ImportPaths& paths,
                                              ImportNotes& notes);

  // The samples of the node's memory, which say when there is a pass.
  [[nodiscard]] const Track& clock() const { return *memory_.clock; }
  [[nodiscard]] DiskLayout layout() const { return layout_; }
  [[nodiscard]] NodeStats At(const std::string& node, Instant at) const;

 private:
  // One way in which series tell an amount of memory.
  struct Memory {
    const Track* clock = nullptr;  // at whose samples the amount is known; null: no such way
    std::vector<const Track*> capacities;  // in the order of preference
    const Track* available = nullptr;
    std::vector<const Track*> used;        // in place of that: its parts, which add up ...
    const Track* inactive_file = nullptr;  // ... to more than the working set by this
    [[nodiscard]] std::optional<MemoryStats> At(Instant at) const;
  };
  struct Amount {
    const Track* available = nullptr;
    const Track* capacity = nullptr;
  };
  struct Disk {
    Amount bytes;
    Amount inodes;
    [[nodiscard]] std::optional<FsStats> At(Instant at) const;
  };

  explicit NodeFigures(const NodeTracks& tracks) : tracks_(&tracks) {}
  // What an agent tells of a signal.
  [[nodiscard]] Amount Own(std::string_view signal) const;
  [[nodiscard]] Memory OwnMemory(std::string_view signal) const;
  [[nodiscard]] bool FindMemory(ImportNotes& notes);
  void FindPodsMemory(ImportNotes& notes);
  void FindDisks(const ImportPaths& paths, ImportNotes& notes);
  void NoteOthers(ImportNotes& notes) const;
  [[nodiscard]] std::optional<PressureStats> PressureAt(std::string_view resource,
                                                        Instant at) const;
  [[nodiscard]] std::optional<SwapStats> SwapAt(Instant at) const;
  [[nodiscard]] std::optional<RlimitStats> PidsAt(Instant at) const;

  const NodeTracks* tracks_;
  Memory memory_;
  Memory pods_memory_;
  Disk node_fs_;
  Disk image_fs_;
  DiskLayout layout_;
};

}  // namespace jettison
