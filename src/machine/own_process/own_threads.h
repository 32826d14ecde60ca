#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "machine/loop/job_queue.h"
#include "ports/disk_thread.h"

namespace jettison {

// Work on the agent's own files, on the thread that has them all, or where it may take minutes, one
// after the other, on one of those that measure pods' files, which give way to all others; calls to
// services; and work on paths that may never answer. Of the latter, work on one file system is done
// in its order, so one that does not answer keeps one thread; other work on it waits. Where two of
// them do not answer, other work begins when they have been given up (CareForThreads).
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
  [[nodiscard]] bool DoLong(Work work) override {
    long_jobs_.Do(std::move(work));
    return true;
  }
  [[nodiscard]] bool DoCall(Work work) override {
    calls_.Do(std::move(work));
    return true;
  }
  [[nodiscard]] bool MayHang(const std::string& path) const override;
  void DoAt(const std::string& path, const std::shared_ptr<Work>& work) override;

 private:
  JobQueue jobs_{Threads::kFiles, AtEnd::kLeave};
  JobQueue calls_{Threads::kSpare, AtEnd::kLeave};
  JobQueue long_jobs_{Threads::kWalks, AtEnd::kLeave};
  std::map<std::string, JobQueue> by_file_system_;
};

}  // namespace jettison
