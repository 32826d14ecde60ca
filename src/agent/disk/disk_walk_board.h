#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/disk/disk_walk_order.h"
#include "agent/edges/edges.h"
#include "core/units/duration.h"
#include "ports/pod_disk.h"

namespace jettison {

// Where the files of one pod are, as values, so that the walk shares nothing with the loop.
struct DiskTask {
  std::string uid;
  PodDisk disk;
  DiskLimits limits;
};

// The pods of one walk, which those who walk take one after the other, and what is known of each.
// One of them walks at a time; where a pod keeps that one for too long it is given up: it stays at
// that pod, however long it takes, and another one goes on with the rest. Safe on any thread.
class DiskWalkBoard {
 public:
  // Names one of those who walk.
  using Walker = std::size_t;

  // A walk of these pods begins; those that somebody is still at are left to them. What is known of
  // other pods is forgotten.
  void Begin(std::vector<DiskTask> tasks);
  // The next pod for `walker`, who does not walk any other one from here on; nothing: there is none
  // for it, and it is idle.
  [[nodiscard]] std::optional<DiskTask> Take(Walker walker, Instant now);
  // What `walker` has found of the pod that it took. Where not all of it could be read, what was
  // known counts for a minute unless that is less.
  void Put(Walker walker, PodDiskUse use);

  // What `walker`, who was given up, has found of its pod so far. It counts where it is no less
  // than what was known.
  void PutSoFar(Walker walker, PodDiskUse so_far);

  // Gives up whoever has been at one pod since before `then`; whether pods wait for somebody else.
  [[nodiscard]] bool GiveUp(Instant then);
  // Since when the one who walks has been at its pod; absent: nobody walks.
  [[nodiscard]] std::optional<Instant> BusySince() const;
  // Pods whose walker was given up, by UID.
  [[nodiscard]] std::vector<std::string> Late() const;
  [[nodiscard]] bool IsAtWork(Walker walker) const;
  [[nodiscard]] bool IsGivenUp(Walker walker) const;
  // A walk has begun, and its result was not taken.
  [[nodiscard]] bool IsOpen() const;

  // Leaves out the pods that nobody has taken.
  void Drop();
  // The walk that had begun is over: what is known of its pods; once, then nothing until Begin.
  [[nodiscard]] std::optional<DiskUse> TakeResult();
  // What is known of all its pods, as far as the walk has come.
  [[nodiscard]] DiskUse Known() const;
  // Until when pods are waited for of which something could not be read, and nothing whole was
  // known before: ten seconds from the first time on. Absent: there are none, or `now` is later.
  [[nodiscard]] std::optional<Instant> UnreadUntil(Instant now) const;
  // The pod of that UID ends: what was found of it says nothing about the next one.
  void Forget(const std::string& uid);

 private:
  struct Work {
    DiskTask task;
    Instant since;
    bool given_up = false;
    bool measured = false;  // it was put
    bool forgotten = false;
  };
  [[nodiscard]] bool SomebodyWalks() const;  // with mutex_ held
  void Remember(const DiskTask& task, const PodDiskUse& use);
  // Whether what could be read of a pod says more than what was known of it.
  [[nodiscard]] bool PartCounts(const std::string& uid, const PodDiskUse& part);

  mutable std::mutex mutex_;  // guards everything
  bool open_ = false;         // IsOpen
  std::deque<DiskTask> waiting_;
  std::set<std::string, std::less<>> pods_;  // of the walk
  std::map<Walker, Work> at_;
  DiskUse known_;
  std::map<std::string, DiskHistory, std::less<>> history_;   // by pod UID
  std::map<std::string, Instant, std::less<>> unread_since_;  // the same
};

}  // namespace jettison
