#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "agent/dependencies/dependencies.h"
#include "agent/disk/disk_figures.h"
#include "agent/disk/disk_measurer.h"
#include "core/units/duration.h"
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

// Measures pods' disk use on a thread of low priority, which pauses half of the time, but not while
// a disk is short. Pods that were never measured come first, then the others by UID.
//
// Access to a pod's files may hang, if they lie on a dead mount. Such a pod blocks its thread, and
// keeps its previous figures, or gets those found so far if they are larger. A spare thread, which
// is started at the beginning, continues with the other pods, in this walk and the next ones. When
// that hangs, too, nothing is measured.
class DiskWalkThread : public DiskWalks {
 public:
  static constexpr std::size_t kThreads = 2;

  // `runtime` gives the paths of the files and must outlive this. A thread that hangs is left
  // behind at the end, together with the shared clock.
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
  // Gives up pods that have kept the walk for too long by now.
  void Advance(Instant now);
  [[nodiscard]] std::optional<Instant> NextDeadline() const;
  // Readable when a walk is done.
  [[nodiscard]] int fd() const { return shared_->ends.fd(); }
  // The figures of the pods of a walk that is over, once.
  [[nodiscard]] std::optional<DiskUse> TakeResult();
  // Of the walks that are over.
  [[nodiscard]] std::vector<WalkCost> TakeCosts() { return shared_->costs.TakeAll(); }
  // Sentences for the log.
  [[nodiscard]] std::vector<std::string> TakeNotes() { return shared_->notes.TakeAll(); }

 private:
  // The paths of one pod as values, so that a walk shares nothing with the loop.
  struct Task {
    std::string uid;
    PodDisk disk;
    // The control groups of its processes, whose deleted files count; empty: none do.
    std::vector<std::string> groups = {};
  };
  // What a thread needs that is left behind.
  struct Shared {
    Shared(std::shared_ptr<const Clock> shared_clock, DeletedFileSources sources)
        : clock(std::move(shared_clock)), deleted(std::move(sources)) {}
    const std::shared_ptr<const Clock> clock;
    const DeletedFileSources deleted;
    std::atomic<bool> cancelled = false;
    std::atomic<bool> urgent = false;
    std::atomic<std::uint64_t> directories = 0;  // read, ever
    Mailbox<std::monostate> ends;                // a walk may be over
    Mailbox<WalkCost> costs;
    Mailbox<std::string> notes;
  };
  // One thread and the pods that it measures, one after the other.
  struct Walker {
    explicit Walker(std::shared_ptr<Shared> with);
    void Renew();
    void Walk();
    // Between two pieces of work: rests as long as it has worked, unless a decision waits.
    void Breathe();
    // Takes what was found of the present pod, and returns the next one; absent: there is none.
    [[nodiscard]] std::optional<Task> Next(std::optional<PodDiskUse> use);
    void AddDeletedFiles(const Task& task, PodDiskUse& use);

    const std::shared_ptr<Shared> shared;
    const std::shared_ptr<DiskSoFar> so_far = std::make_shared<DiskSoFar>();
    std::unique_ptr<DiskMeasurer> measurer;
    bool remembers = false;            // trees, since it walked
    std::size_t descriptors_left = 0;  // that may be looked at in this walk
    std::chrono::steady_clock::time_point works_since;

    // With the loop:
    struct Present {
      std::string uid;
      Instant since;
      bool forgotten = false;
    };
    std::mutex mutex;  // guards what follows
    std::deque<Task> waiting;
    std::optional<Present> present;  // the pod that it is at
    std::vector<std::pair<std::string, PodDiskUse>> found;
    bool walks = false;    // it was sent, and has not come back
    bool is_late = false;  // it was given up with its present pod, and others have gone on
  };
  struct Crew {
    std::shared_ptr<Walker> walker;
    std::unique_ptr<JobQueue> walks;
  };
  // Has an idle thread measure these; false: there is none.
  [[nodiscard]] bool Send(std::deque<Task> tasks);
  // Takes what the threads have found.
  void Collect();
  // Whether a thread that was not given up is at it.
  [[nodiscard]] bool AnyWalks() const;
  [[nodiscard]] std::optional<Instant> BusySince() const;
  // The pods that threads are at.
  [[nodiscard]] std::set<std::string, std::less<>> PodsUnderWay() const;
  // Once for each pod.
  void NoteLate(const std::string& uid);
  [[nodiscard]] Duration Patience() const;

  const ContainerRuntime& runtime_;
  WalkPatience patience_;
  std::shared_ptr<Shared> shared_;
  std::vector<Crew> crew_;
  KnownDiskUse known_;
  bool is_open_ = false;                          // a walk has begun whose result was not taken
  Instant sent_at_;                               // when a thread was last sent, or awaited
  std::set<std::string, std::less<>> said_late_;  // UIDs of pods of the walk
};

}  // namespace jettison
