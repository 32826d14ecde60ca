#pragma once

#include <cstddef>
#include <mutex>
#include <optional>

#include "agent/dependencies/dependencies.h"
#include "kernel/disk_usage/tree_walk.h"
#include "ports/pod_disk.h"

namespace jettison {

// The disk use of one pod that has been found so far while it is measured: a lower bound. Written
// by the measuring thread; Read is safe on any thread.
class DiskSoFar {
 public:
  // The progress counters of the walks.
  [[nodiscard]] WalkProgress& progress() { return progress_; }

  // Starts with a pod; `use` has its figures, all absent.
  void Begin(const PodDisk& disk, const PodDiskUse& use);
  // Files found from now on belong to this figure. The order of the figures: for each container its
  // layer and its logs, then the volumes.
  void Open(std::size_t figure);
  // The open figure is read from the beginning: what was found of it no longer counts.
  void Restart();
  // The open figure is complete.
  void Close(const FsUsage& usage);

  // The use so far, marked as partial. A figure for which nothing was found is absent.
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
// The sum of all figures, without volumes in memory.
[[nodiscard]] FsUsage TotalOf(const PodDiskUse& use, const PodDisk& disk);

}  // namespace jettison
