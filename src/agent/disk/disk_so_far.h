#pragma once

#include <cstddef>
#include <mutex>
#include <optional>

#include "agent/edges/edges.h"
#include "kernel/disk_usage/walk_options.h"
#include "ports/pod_disk.h"

namespace jettison {

// What has been found of one pod's files while they are still being measured: never more than there
// is. Written by the thread that measures; Read is safe on any.
class DiskSoFar {
 public:
  // Where the walks count what they find.
  [[nodiscard]] WalkProgress& progress() { return progress_; }

  // A pod is measured whose figures are those of `use`; nothing of it has been found.
  void Begin(const PodDisk& disk, const PodDiskUse& use);
  // What is found from now on belongs to this figure: containers' layer and logs in turn, then
  // volumes.
  void Open(std::size_t figure);
  // The open figure is known.
  void Close(const FsUsage& usage);

  // Marked as a part; a figure of which nothing was found is absent.
  [[nodiscard]] PodDiskUse Read() const;

 private:
  WalkProgress progress_;
  mutable std::mutex mutex_;  // guards what follows
  PodDisk disk_;
  PodDiskUse use_;
  std::optional<std::size_t> open_;
};

// The figures of a pod's files, all absent.
[[nodiscard]] PodDiskUse FiguresOf(const PodDisk& disk);
// Number `figure` of them, in the order of DiskSoFar::Open.
[[nodiscard]] FsUsage& FigureOf(PodDiskUse& use, std::size_t figure);
// All of them but what is memory, added up.
[[nodiscard]] FsUsage TotalOf(const PodDiskUse& use, const PodDisk& disk);

}  // namespace jettison
