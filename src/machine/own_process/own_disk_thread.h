#pragma once

#include <memory>

#include "agent/loop/background_thread.h"
#include "ports/disk_thread.h"

namespace jettison {

// The thread for the agent's own files, started at the beginning.
class OwnDiskThread : public DiskThread {
 public:
  OwnDiskThread();
  OwnDiskThread(const OwnDiskThread&) = delete;
  OwnDiskThread& operator=(const OwnDiskThread&) = delete;
  // Waits until everything is done, but not longer than a few seconds for a disk that hangs.
  ~OwnDiskThread() override;

  [[nodiscard]] bool Do(Work work) override;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;  // with the thread, which may be left behind
  BackgroundThread thread_;
};

}  // namespace jettison
