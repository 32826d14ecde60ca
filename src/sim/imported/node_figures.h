#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/summary.h"
#include "core/model/threshold.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "sim/imported/import_notes.h"
#include "sim/imported/node_tracks.h"
#include "sim/imported/track.h"

namespace jettison {

// When the figure that is known at that moment was sampled. An interpolated figure counts as
// sampled at that moment.
[[nodiscard]] std::optional<Instant> SampledAt(const Track* track, Instant at);

// One way in which series tell an amount of memory.
struct MemorySource {
  std::vector<const Track*> capacities;  // in the order of preference
  const Track* available = nullptr;
  const Track* working_set = nullptr;  // in place of what is available
  const Track* anonymous = nullptr;    // these four in place of the working set
  const Track* cached = nullptr;
  const Track* buffers = nullptr;
  const Track* inactive_file = nullptr;

  // The series at whose samples the amount is known; null: this source has none.
  [[nodiscard]] const Track* clock() const;
  // Absent: it does not tell the amount at that moment.
  [[nodiscard]] std::optional<MemoryStats> At(Instant at) const;
};

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
  [[nodiscard]] const Track& clock() const { return *memory_.clock(); }
  [[nodiscard]] DiskLayout layout() const { return layout_; }
  [[nodiscard]] NodeStats At(const std::string& node, Instant at) const;

 private:
  struct Signal {
    const Track* available = nullptr;
    const Track* capacity = nullptr;
  };
  struct Disk {
    Signal bytes;
    Signal inodes;
  };
  struct Disks {
    Disk node;
    Disk image;
  };
  // A file system as node_exporter tells it.
  struct Mount {
    std::string mountpoint;
    std::string device;
  };
  struct Stalls {
    const Track* some = nullptr;  // seconds lost
    const Track* full = nullptr;
  };

  explicit NodeFigures(const NodeTracks& tracks) : tracks_(&tracks) {}
  [[nodiscard]] Signal Own(std::string_view signal) const;
  [[nodiscard]] MemorySource OwnMemory(std::string_view signal) const;
  [[nodiscard]] bool FindMemory(ImportNotes& notes);
  void FindPodsMemory(ImportNotes& notes);
  [[nodiscard]] bool FindOwnDisks();
  // The mount that has the path.
  [[nodiscard]] std::optional<Mount> MountOf(const std::string& path) const;
  [[nodiscard]] Disk DiskOf(const Mount& mount) const;
  void FindDisks(const ImportPaths& paths, ImportNotes& notes);
  void FindOthers(ImportNotes& notes);
  [[nodiscard]] static std::optional<FsStats> DiskAt(const Disk& disk, Instant at);
  [[nodiscard]] std::optional<PressureStats> PressureAt(std::string_view resource,
                                                        const Stalls& stalls, Instant at) const;
  [[nodiscard]] std::optional<SwapStats> SwapAt(Instant at) const;
  [[nodiscard]] std::optional<RlimitStats> PidsAt(Instant at) const;

  const NodeTracks* tracks_;
  MemorySource memory_;
  MemorySource pods_memory_;
  Disks disks_;
  DiskLayout layout_;
  Signal swap_;
  Signal pids_;
  const Track* threads_ = nullptr;
  const Track* most_processes_ = nullptr;
  Stalls memory_stalls_;
  Stalls io_stalls_;
};

}  // namespace jettison
