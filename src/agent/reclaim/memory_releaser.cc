#include "agent/reclaim/memory_releaser.h"

#include <algorithm>

namespace jettison {

std::size_t MemoryReleaser::Room() const {
  return jobs_.running() ? kMostHandles - std::min(kMostHandles, shared_->open.load()) : 0;
}

// A release fails if the process has ended already, if it shares its memory with a living one, or
// if the kernel lacks the call. The memory then becomes free later, as without a release.
void MemoryReleaser::Take(std::vector<FileDescriptor> killed) {
  shared_->open += killed.size();
  for (FileDescriptor& process : killed) {
    jobs_.Do([shared = shared_,
              handle = std::make_shared<FileDescriptor>(std::move(process))]() mutable {
      (void)shared->release(*handle);
      handle.reset();
      --shared->open;
    });
  }
}

}  // namespace jettison
