#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "agent/loop/job_queue.h"
#include "core/units/result.h"
#include "kernel/groups/memory_release.h"
#include "ports/file_descriptor.h"

namespace jettison {

// Frees the memory of killed processes while the kernel still ends them, beside the loop: a release
// waits as long as the process holds its memory in a way that nothing may interrupt.
class MemoryReleaser {
 public:
  // Frees the memory of one process, as kernel::ReleaseMemory does. Called beside the loop.
  using Release = std::function<Result<void>(const FileDescriptor& process)>;

  // The most handles that are open at a time.
  static constexpr std::size_t kMostHandles = 256;

  explicit MemoryReleaser(Release release = kernel::ReleaseMemory)
      : shared_(std::make_shared<Shared>(std::move(release))) {}

  // How many more processes it can take. 0: the thread is missing, or releases do not come back.
  [[nodiscard]] std::size_t Room() const;
  // Takes processes that have just been killed, no more than Room. Never waits.
  void Take(std::vector<FileDescriptor> killed);

 private:
  // Shared with the jobs, which may be left behind.
  struct Shared {
    Release release;
    std::atomic<std::size_t> open = 0;  // handles, that of the present release included
  };

  std::shared_ptr<Shared> shared_;
  JobQueue jobs_{Threads::kEnding, AtEnd::kLeave};
};

}  // namespace jettison
