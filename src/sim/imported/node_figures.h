#pragma once

#include <optional>
#include <string>

#include "core/model/summary.h"
#include "core/model/threshold.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "sim/imported/import_notes.h"
#include "sim/imported/node_tracks.h"

namespace jettison {

// Where a node keeps what its two file systems hold.
struct ImportPaths {
  std::string node_fs = "/var/lib/kubelet";
  std::string image_fs = "/var/lib/containerd";
};

// The figures of a node, from the series that exist. Notes which series are used, and what the
// missing ones cost.
class NodeFigures {
 public:
  // `tracks` must outlive this. kNotFound: nothing tells the node's memory.
  [[nodiscard]] static Result<NodeFigures> Of(const NodeTracks& tracks, const ImportPaths& paths,
                                              ImportNotes& notes);

  // The series whose samples say when there is a pass.
  [[nodiscard]] const Track& clock() const { return *clock_; }
  [[nodiscard]] DiskLayout layout() const { return layout_; }
  [[nodiscard]] NodeStats At(const std::string& node, Instant at) const;

 private:
  // Bytes of `files` less those of `inactive`, or `working_set` itself.
  struct Memory {
    const Track* working_set = nullptr;
    const Track* capacity = nullptr;
    const Track* anonymous = nullptr;  // these four in place of the working set
    const Track* cached = nullptr;
    const Track* buffers = nullptr;
    const Track* inactive_file = nullptr;
  };
  struct Signal {
    const Track* available = nullptr;
    const Track* capacity = nullptr;
  };
  struct Disk {
    Signal bytes;
    Signal inodes;
  };
  struct Stalls {
    const Track* some = nullptr;  // seconds lost
    const Track* full = nullptr;
  };

  explicit NodeFigures(const NodeTracks& tracks) : tracks_(&tracks) {}
  [[nodiscard]] Signal Own(std::string_view signal) const;
  [[nodiscard]] bool FindMemory(ImportNotes& notes);
  void FindPodsMemory(ImportNotes& notes);
  void FindDisks(const ImportPaths& paths, ImportNotes& notes);
  void FindOthers(ImportNotes& notes);
  [[nodiscard]] std::optional<MemoryStats> MemoryAt(const Signal& own, const Memory& memory,
                                                    Instant at) const;
  [[nodiscard]] static std::optional<FsStats> DiskAt(const Disk& disk, Instant at);
  [[nodiscard]] std::optional<PressureStats> PressureAt(std::string_view resource,
                                                        const Stalls& stalls, Instant at) const;
  [[nodiscard]] std::optional<SwapStats> SwapAt(Instant at) const;
  [[nodiscard]] std::optional<RlimitStats> PidsAt(Instant at) const;

  const NodeTracks* tracks_;
  const Track* clock_ = nullptr;
  Signal own_memory_;
  Signal own_pods_memory_;
  Memory memory_;
  Memory pods_memory_;
  Disk node_fs_;
  Disk image_fs_;
  DiskLayout layout_;
  Signal pids_;
  const Track* threads_ = nullptr;
  const Track* most_processes_ = nullptr;
  Stalls memory_stalls_;
  Stalls io_stalls_;
};

}  // namespace jettison
