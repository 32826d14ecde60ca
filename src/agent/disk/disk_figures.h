#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>

#include "agent/dependencies/dependencies.h"
#include "core/text/text_index.h"
#include "core/units/duration.h"
#include "kernel/disk_usage/disk_trees.h"
#include "ports/container_runtime.h"

namespace jettison {

// The figures of a pod's files, all absent.
[[nodiscard]] PodDiskUse FiguresOf(const PodDisk& disk);
// Number `figure` of them: for each container its layer and its logs, then the volumes.
[[nodiscard]] FsUsage& FigureOf(PodDiskUse& use, std::size_t figure);
// The sum of all figures, without volumes in memory.
[[nodiscard]] FsUsage TotalOf(const PodDiskUse& use, const PodDisk& disk);

// The disk use of one pod that has been found so far while it is measured: a lower bound. Written
// by the measuring thread; Read is safe on any thread.
class DiskSoFar {
 public:
  // The progress counters of the walks.
  [[nodiscard]] WalkProgress& progress() { return progress_; }

  // Starts with a pod; `use` has its figures, all absent.
  void Begin(const PodDisk& disk, const PodDiskUse& use);
  // Files found from now on belong to this figure.
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

// What is known of the pods of the last walk. Used by one thread.
class KnownDiskUse {
 public:
  // A walk of these pods begins. What is known of others is forgotten.
  void Begin(TextSet pods);
  // A pod was measured. If not all of it could be read, the previous figures are kept for up to a
  // minute unless the new ones are larger.
  void Put(const std::string& uid, PodDiskUse use);
  // The partial figures of a pod that takes too long. They are used unless they are less than the
  // previous ones.
  void PutSoFar(const std::string& uid, PodDiskUse so_far);
  // Forgets a pod that ends, because its figures say nothing about the next pod with this UID.
  void Forget(const std::string& uid);

  [[nodiscard]] const DiskUse& use() const { return use_; }
  // Until when to wait for pods that could not be read completely, and that have no complete
  // earlier figures: ten seconds after the first attempt. Absent: there are none, or that time has
  // passed.
  [[nodiscard]] std::optional<Instant> UnreadUntil(Instant now) const;

 private:
  // Whether a partial result of a pod replaces its previous figures.
  [[nodiscard]] bool PartCounts(const std::string& uid, const PodDiskUse& part);

  TextSet pods_;  // of the walk
  DiskUse use_;
  TextIndex<Instant> unread_since_;  // by pod UID
};

}  // namespace jettison
