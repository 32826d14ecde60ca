#pragma once

#include <atomic>
#include <chrono>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "machine/loop/job_queue.h"
#include "ports/disk_thread.h"

namespace jettison {

// Work on the agent's own files, on the thread that has them all, or on one that gives way to all
// others where it may take minutes, calls to services, and work on paths that may never answer. Of
// the latter, work on one file system is done in its order, so one that does not answer keeps one
// thread; other work on it waits. Where two of them do not answer, other work begins when they have
// been given up (CareForThreads).
class OwnDiskThread : public DiskThread {
 public:
  OwnDiskThread() = default;
  OwnDiskThread(const OwnDiskThread&) = delete;
  OwnDiskThread& operator=(const OwnDiskThread&) = delete;
  // Waits until everything with the agent's own files is done, but not longer than a few seconds
  // for a disk that hangs.
  ~OwnDiskThread() override {
    if (jobs_.running()) (void)jobs_.FinishWithin(std::chrono::seconds(5));
  }

  [[nodiscard]] bool Do(Work work) override {
    if (!jobs_.running()) return false;
    jobs_.Do(std::move(work));
    return true;
  }
  [[nodiscard]] bool DoLong(Work work) override;
  [[nodiscard]] bool DoCall(Work work) override {
    calls_.Do(std::move(work));
    return true;
  }
  [[nodiscard]] bool MayHang(const std::string& path) const override;
  void DoAt(const std::string& path, const std::shared_ptr<Work>& work) override;

 private:
  JobQueue jobs_{Threads::kFiles, AtEnd::kLeave};
  JobQueue calls_{Threads::kSpare, AtEnd::kLeave};
  struct LongJob {
    JobQueue queue{Threads::kCleanUp, AtEnd::kLeave};
    std::shared_ptr<std::atomic<bool>> is_done = std::make_shared<std::atomic<bool>>(false);
  };
  std::list<LongJob> long_jobs_;  // empty until the first one
  std::map<std::string, JobQueue> by_file_system_;
};

}  // namespace jettison
