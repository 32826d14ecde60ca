#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "agent/loop/background_thread.h"
#include "core/units/result.h"
#include "kernel/groups/memory_release.h"
#include "ports/file_descriptor.h"

namespace jettison {

// Frees the memory of killed processes while the kernel still ends them. A thread does it, which is
// left behind at the end: a release waits as long as the process holds its memory in a way that
// nothing may interrupt.
class MemoryReleaser {
 public:
  // Frees the memory of one process, as kernel::ReleaseMemory does. Called on the thread.
  using Release = std::function<Result<void>(const FileDescriptor& process)>;

  // The most handles that are open at a time.
  static constexpr std::size_t kMostHandles = 256;

  explicit MemoryReleaser(Release release = kernel::ReleaseMemory)
      : queue_(std::make_shared<Queue>(std::move(release))) {}

  // How many more processes it can take. 0: the thread is missing, or releases do not come back.
  [[nodiscard]] std::size_t Room() const;
  // Takes processes that have just been killed, no more than Room. Never waits.
  void Take(std::vector<FileDescriptor> killed);

 private:
  // Shared with the thread, which may be left behind.
  struct Queue {
    const Release release;
    std::atomic<std::size_t> open = 0;  // handles, that of the present release included
    std::mutex mutex;
    std::deque<FileDescriptor> waiting;  // guarded by mutex

    explicit Queue(Release its_release) : release(std::move(its_release)) {}
    [[nodiscard]] FileDescriptor TakeNext();
    void ReleaseAll();
  };

  std::shared_ptr<Queue> queue_;
  BackgroundThread thread_{
      {"release-memory", "memory of killed processes is freed only as fast as the kernel does it"},
      AtEnd::kLeave};
};

}  // namespace jettison
