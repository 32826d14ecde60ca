#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "agent/dependencies/dependencies.h"
#include "agent/disk/disk_measurer.h"
#include "agent/disk/disk_walk_board.h"
#include "core/units/duration.h"
#include "machine/loop/job_queue.h"
#include "machine/loop/mailbox.h"
#include "ports/cgroups.h"
#include "ports/clock.h"
#include "ports/container_runtime.h"

namespace jettison {

// Limits the load of threads that walk through files: each pauses between pieces of work, so that
// it works only for a share of the time.
class DiskPace {
 public:
  // `share`: of each thread's time, above 0, at most 1.
  explicit DiskPace(double share) : share_(share) {}

  // How long to pause after `worked`; zero while that is too little for a pause.
  [[nodiscard]] static Duration RestAfter(Duration worked, double share);

  // The calling thread begins to work.
  void TakeUp();
  // Between two pieces of work: pauses for the time that is due.
  void Breathe();
  // While urgent, because a decision for a disk waits for the figures, no thread pauses.
  void SetUrgent(bool urgent);
  [[nodiscard]] const std::atomic<bool>& urgent() const { return urgent_; }
  // No thread pauses any more.
  void Stop();

 private:
  const double share_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> urgent_ = false;  // changed with mutex_ held
  std::atomic<bool> stopped_ = false;
};

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
// a disk is short.
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
  void SetUrgent(bool urgent) override { shared_->pace.SetUrgent(urgent); }
  [[nodiscard]] DiskUse LastKnown() override;
  [[nodiscard]] std::optional<Instant> UnreadUntil() override {
    return shared_->board.UnreadUntil(shared_->clock->Now());
  }
  void Forget(const std::string& pod_uid) override { shared_->board.Forget(pod_uid); }
  // Gives up pods that have kept the walk for too long by now.
  void Advance(Instant now);
  [[nodiscard]] std::optional<Instant> NextDeadline() const;
  // Readable when a walk is done.
  [[nodiscard]] int fd() const { return shared_->results.fd(); }
  [[nodiscard]] std::vector<DiskUse> TakeResults() { return shared_->results.TakeAll(); }
  // Of the walks whose results have been put.
  [[nodiscard]] std::vector<WalkCost> TakeCosts() { return shared_->costs.TakeAll(); }
  // Sentences for the log.
  [[nodiscard]] std::vector<std::string> TakeNotes() { return shared_->notes.TakeAll(); }

 private:
  // What a thread needs that is left behind.
  struct Shared {
    Shared(std::shared_ptr<const Clock> shared_clock, DeletedFileSources sources);
    const std::shared_ptr<const Clock> clock;
    const DeletedFileSources deleted;
    std::atomic<bool> cancelled = false;
    DiskPace pace;
    std::atomic<std::uint64_t> directories = 0;  // read, ever
    DiskWalkBoard board;
    Mailbox<DiskUse> results;
    Mailbox<WalkCost> costs;
    Mailbox<std::string> notes;
    void Deliver();
  };
  // One thread's own.
  struct Walker {
    Walker(std::shared_ptr<Shared> with, std::size_t number);
    const std::shared_ptr<Shared> shared;
    const std::size_t number;
    const std::shared_ptr<DiskSoFar> so_far = std::make_shared<DiskSoFar>();
    std::unique_ptr<DiskMeasurer> measurer;
    bool remembers = false;            // trees, since it walked
    std::size_t descriptors_left = 0;  // that may be looked at in this walk
    void Renew();
    void Walk();
    void AddDeletedFiles(const DiskTask& task, PodDiskUse& use);
  };
  struct Crew {
    std::shared_ptr<Walker> walker;
    std::unique_ptr<JobQueue> walks;
  };
  // Has an idle thread take what waits; false: there is none.
  [[nodiscard]] bool SendNext();
  void NoteLatePods();
  void TakeSoFar();
  [[nodiscard]] Duration Patience() const;

  const ContainerRuntime& runtime_;
  WalkPatience patience_;
  std::shared_ptr<Shared> shared_;
  std::vector<Crew> crew_;
  Instant sent_at_;                               // when a thread was last sent, or awaited
  std::set<std::string, std::less<>> said_late_;  // pod UIDs
};

}  // namespace jettison
