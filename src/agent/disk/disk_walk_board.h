#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "agent/dependencies/dependencies.h"
#include "core/text/text_index.h"
#include "core/units/duration.h"
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

// The paths of one pod as values, so that the walk shares nothing with the loop.
struct DiskTask {
  std::string uid;
  PodDisk disk;
  // The control groups of its processes, whose deleted files count; empty: none do.
  std::vector<std::string> groups = {};
};

// The pods of one walk, which walkers take one after the other, and what is known of each pod. One
// walker works at a time. A walker that is at one pod for too long is given up: it stays at that
// pod, however long it takes, and another walker continues with the rest. Safe on any thread.
class DiskWalkBoard {
 public:
  // Identifies a walker.
  using Walker = std::size_t;

  // Begins a walk of these pods: first of those that were never measured, then of those that grew
  // most the last time, then by UID. Pods that a walker is still at are not given to another one.
  // What is known of other pods is forgotten.
  void Begin(std::vector<DiskTask> tasks);
  // The next pod for `walker`, whose previous pod is finished; absent: there is none for it, and it
  // becomes idle.
  [[nodiscard]] std::optional<DiskTask> Take(Walker walker, Instant now);
  // The result of `walker` for the pod that it took. If not all of it could be read, the previous
  // figures are kept for up to a minute unless the new ones are larger.
  void Put(Walker walker, PodDiskUse use);

  // The partial result of a `walker` that was given up. It is used unless it is less than the
  // previous figures.
  void PutSoFar(Walker walker, PodDiskUse so_far);

  // Gives up each walker that has been at one pod since `then` or longer. Returns whether one was
  // given up and pods wait for another walker.
  [[nodiscard]] bool GiveUp(Instant then);
  // Since when the active walker has been at its pod; absent: there is none.
  [[nodiscard]] std::optional<Instant> BusySince() const;
  // Pods whose walker was given up, by UID.
  [[nodiscard]] std::vector<std::string> Late() const;
  [[nodiscard]] bool IsAtWork(Walker walker) const;
  [[nodiscard]] bool IsGivenUp(Walker walker) const;
  // Whether a walk has begun whose result was not taken.
  [[nodiscard]] bool IsOpen() const;

  // Drops the pods that no walker has taken.
  void Drop();
  // The figures of the walk's pods when the walk is over, once per walk; absent otherwise.
  [[nodiscard]] std::optional<DiskUse> TakeResult();
  // The present figures of all pods of the walk, which may still be under way.
  [[nodiscard]] DiskUse Known() const;
  // Until when to wait for pods that could not be read completely, and that have no complete
  // earlier figures: ten seconds after the first attempt. Absent: there are none, or that time has
  // passed.
  [[nodiscard]] std::optional<Instant> UnreadUntil(Instant now) const;
  // Forgets a pod that ends, because its figures say nothing about the next pod with this UID.
  void Forget(const std::string& uid);

 private:
  struct Work {
    std::string uid;
    Instant since;
    bool given_up = false;
    bool measured = false;  // it was put
    bool forgotten = false;
  };
  // What the last walk found of a pod, in bytes.
  struct History {
    std::uint64_t used = 0;
    std::uint64_t grown = 0;  // by how much that was more than the time before
  };
  [[nodiscard]] bool IsBefore(const DiskTask& a, const DiskTask& b) const;
  [[nodiscard]] bool SomebodyWalks() const;  // with mutex_ held
  void Remember(const Work& work, const PodDiskUse& use);
  // Whether a partial result of a pod replaces its previous figures.
  [[nodiscard]] bool PartCounts(const std::string& uid, const PodDiskUse& part);

  mutable std::mutex mutex_;  // guards everything
  bool open_ = false;         // IsOpen
  std::deque<DiskTask> waiting_;
  TextSet pods_;  // of the walk
  std::map<Walker, Work> at_;
  DiskUse known_;
  TextIndex<History> history_;       // by pod UID
  TextIndex<Instant> unread_since_;  // the same
};

}  // namespace jettison
