#pragma once

#include <chrono>
#include <utility>

#include "machine/loop/job_queue.h"
#include "ports/disk_thread.h"

namespace jettison {

// Work on the agent's own files, on the thread that has them all.
class OwnDiskThread : public DiskThread {
 public:
  OwnDiskThread() = default;
  OwnDiskThread(const OwnDiskThread&) = delete;
  OwnDiskThread& operator=(const OwnDiskThread&) = delete;
  // Waits until everything is done, but not longer than a few seconds for a disk that hangs.
  ~OwnDiskThread() override {
    if (jobs_.running()) (void)jobs_.FinishWithin(std::chrono::seconds(5));
  }

  [[nodiscard]] bool Do(Work work) override {
    if (!jobs_.running()) return false;
    jobs_.Do(std::move(work));
    return true;
  }

 private:
  JobQueue jobs_{Threads::kFiles, AtEnd::kLeave};
};

}  // namespace jettison
