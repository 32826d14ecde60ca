#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/units/duration.h"
#include "core/units/result.h"
#include "kernel/readiness/lifetime.h"
#include "kernel/readiness/readiness.h"
#include "ports/disk_thread.h"
#include "ports/mailbox.h"

namespace jettison::kernel {

// Work on the agent's own files that the loop must not wait for, because a disk may take seconds to
// make a folder or to rename a file: its journal may be full, or too much may wait to be written.
// The work is done in the order in which it is given. Where there is no thread for it, the caller
// does it at once.
class DiskWork {
 public:
  // Must own everything that it uses, because it runs on another thread.
  using Work = std::function<Result<void>()>;
  using Done = std::function<void(const Result<void>&)>;

  // `thread` may be null. `readiness` must outlive this.
  DiskWork(Readiness& readiness, std::shared_ptr<DiskThread> thread);
  DiskWork(const DiskWork&) = delete;
  DiskWork& operator=(const DiskWork&) = delete;
  // Work that is not done yet is still done; its `done` is not called.
  ~DiskWork() = default;

  // `done`, which may be null, is called from Dispatch, or before Do returns where the caller did
  // the work.
  void Do(const Work& work, Done done = nullptr) { Give(work, std::move(done), &DiskThread::Do); }
  // The same for work that may take minutes, which does not hold up the other.
  void DoLong(const Work& work, Done done = nullptr) {
    Give(work, std::move(done), &DiskThread::DoLong);
  }
  // The same for a call to a service, which waits for earlier calls alone.
  void DoCall(const Work& work, Done done = nullptr) {
    Give(work, std::move(done), &DiskThread::DoCall);
  }
  // Null: there is none.
  [[nodiscard]] const std::shared_ptr<DiskThread>& thread() const { return thread_; }

 private:
  struct Outcome {
    std::uint64_t number = 0;
    Result<void> result;
  };
  void Give(const Work& work, Done done, bool (DiskThread::*take)(DiskThread::Work));
  void Deliver();

  std::shared_ptr<DiskThread> thread_;
  std::shared_ptr<Mailbox<Outcome>> outcomes_;  // with the thread
  std::unordered_map<std::uint64_t, Done> waiting_;
  std::uint64_t next_ = 0;
  Readiness::Watch on_done_;
};

// Something to be done with one path of the host.
struct PathStep {
  std::string what;  // for errors: "volume data"
  std::string path;
  // Must own everything that it uses, because it may run on another thread and outlive the
  // PathErrand. `wanted` becomes false when nobody waits for the result any more.
  std::function<Result<void>(const std::atomic<bool>& wanted)> work;
};

// Runs steps one after the other, until one fails. The steps before the first one whose path may
// hang are work of the disk: they wait for a slow disk without limit, in their order among the work
// on the agent's own files. The others are done by DiskThread::DoAt, whose result is awaited for as
// long as the patience lasts.
class PathErrand {
 public:
  using Done = std::function<void(const Result<void>&)>;

  // `readiness` and `disk` must outlive it.
  PathErrand(Readiness& readiness, DiskWork& disk, Duration patience)
      : readiness_(readiness), disk_(disk), patience_(patience) {}
  PathErrand(const PathErrand&) = delete;
  PathErrand& operator=(const PathErrand&) = delete;
  // The step that is being done goes on, with `wanted` false; those after it are not begun.
  ~PathErrand();

  // Must be called once. Returns the result where the caller did everything: there are no steps, or
  // there is no thread for the disk. Otherwise `done` is called from Dispatch, and may destroy this
  // object. kUnavailable, naming the path, where a path that may hang has not answered in time.
  [[nodiscard]] std::optional<Result<void>> Begin(std::vector<PathStep> steps, Done done);
  // Stops waiting: `done` is called from the next Dispatch.
  void Hurry();

 private:
  struct Shared;
  void OnDisk(const Result<void>& outcome);
  [[nodiscard]] Result<void> DoTheRest();
  void Tell(const Result<void>& outcome);

  Readiness& readiness_;
  DiskWork& disk_;
  Duration patience_;
  std::shared_ptr<Shared> shared_;            // with whoever does it
  std::shared_ptr<DiskThread::Work> errand_;  // the work on paths that may hang
  Done done_;                                 // null: the result has been told
  bool beginning_ = false;                    // Begin returns a result that is known now
  std::optional<Result<void>> known_;         // the same
  Readiness::Watch on_done_;
  Readiness::Watch on_late_;
  Lifetime lifetime_;
};

}  // namespace jettison::kernel
