#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "agent/dependencies/dependencies.h"
#include "agent/disk/disk_figures.h"
#include "agent/disk/disk_measurer.h"
#include "core/units/duration.h"
#include "core/units/once.h"
#include "machine/loop/job_queue.h"
#include "ports/cgroups.h"
#include "ports/clock.h"
#include "ports/container_runtime.h"
#include "ports/mailbox.h"

namespace jettison {

// The cost of measuring the disk use of all pods.
struct WalkCost {
  Duration took{0};               // pauses included
  std::uint64_t directories = 0;  // read
  std::uint64_t trees = 0;        // walked whole
};

// How long the walk may be at one pod before another thread continues with the others.
struct WalkPatience {
  Duration ordinary = std::chrono::seconds(10);
  Duration urgent = std::chrono::seconds(1);
};

// Where deleted files that pods hold open are found.
struct DeletedFileSources {
  std::shared_ptr<Cgroups> groups;  // null: they are not looked for
  std::function<const std::vector<std::string>&(const PodFacts&)> groups_of;
  std::string node_fs;
};

// Measures pods' disk use on a thread of low priority, one pod after the other. It pauses half of
// the time, but not while a disk is short. Pods that were never measured come first, then the
// others by UID.
//
// A pod whose files lie on a dead mount blocks its thread, and keeps its previous figures, or gets
// those found so far if they are larger. A spare thread continues with the other pods, in this walk
// and the next ones. When that hangs, too, nothing is measured.
class DiskWalkThread : public DiskWalks {
 public:
  static constexpr std::size_t kThreads = 2;

  // `runtime` gives the paths of the files and must outlive this. At the end a thread that hangs is
  // left behind.
  DiskWalkThread(const ContainerRuntime& runtime, std::shared_ptr<const Clock> clock,
                 DeletedFileSources deleted = {}, WalkPatience patience = {});
  ~DiskWalkThread() override;

  void Start(std::span<const PodFacts* const> pods, bool disk_is_short) override;
  // Whether a disk is short.
  void SetUrgent(bool urgent) override { shared_->urgent = urgent; }
  [[nodiscard]] DiskUse LastKnown() override;
  [[nodiscard]] std::optional<Instant> UnreadUntil() override {
    return known_.UnreadUntil(shared_->clock->Now());
  }
  void Forget(const std::string& pod_uid) override;
  // Gives up a pod that has kept the walk for too long by now.
  void Advance(Instant now);
  [[nodiscard]] std::optional<Instant> NextDeadline() const;
  // Readable when TakeResult has something to do.
  [[nodiscard]] int fd() const { return shared_->measured.fd(); }
  // Continues the walk. The figures of the pods of a walk that is over, once.
  [[nodiscard]] std::optional<DiskUse> TakeResult();
  // What the walk has cost whose result was taken last.
  [[nodiscard]] const WalkCost& cost() const { return cost_; }
  // Sentences for the log.
  [[nodiscard]] std::vector<std::string> TakeNotes();

 private:
  // The paths of one pod as values, so that a walk shares nothing with the loop.
  struct Task {
    std::string uid;
    PodDisk disk;
    // The control groups of its processes, whose deleted files count; empty: none do.
    std::vector<std::string> groups = {};
  };
  struct Walker;
  struct Measured {
    const Walker* by = nullptr;  // null: nothing was to be measured
    PodDiskUse use;
    std::uint64_t trees = 0;  // walked whole
    std::vector<std::string> notes;
  };
  // What a thread needs that is left behind.
  struct Shared {
    std::shared_ptr<const Clock> clock;
    DeletedFileSources deleted;
    std::atomic<bool> cancelled = false;
    std::atomic<bool> urgent = false;
    std::atomic<std::uint64_t> directories = 0;  // read, ever
    Mailbox<Measured> measured;
  };
  // The pod that is being measured, or that keeps a thread.
  struct Present {
    std::shared_ptr<Walker> walker;
    std::string uid;
    Instant since;
    bool forgotten = false;
  };

  // A thread from now on, which remembers nothing of any tree. The one before is left alone.
  void Renew();
  // Has the next pod measured, if no other one is.
  void MeasureNext();
  // Takes what was measured.
  void Collect();
  void Put(const Present& pod, Measured measured);
  [[nodiscard]] Duration Patience() const;

  const ContainerRuntime& runtime_;
  WalkPatience patience_;
  std::shared_ptr<Shared> shared_;
  std::shared_ptr<Walker> walker_;
  std::unique_ptr<JobQueue> jobs_;                 // of that walker
  JobQueue gone_{Threads::kWalks, AtEnd::kLeave};  // destroys those that are not used any more
  KnownDiskUse known_;
  std::deque<Task> waiting_;
  std::optional<Present> present_;
  std::vector<Present> late_;  // given up, and not come back yet
  bool is_open_ = false;       // a walk has begun whose result was not taken
  bool begins_ = false;        // and no pod of it was measured
  std::chrono::steady_clock::time_point began_;
  std::uint64_t directories_before_ = 0;
  WalkCost cost_;
  std::vector<std::string> notes_;
  Once say_none_is_left_;
  std::set<std::string, std::less<>> said_late_;  // UIDs of pods that the log has named
};

}  // namespace jettison
