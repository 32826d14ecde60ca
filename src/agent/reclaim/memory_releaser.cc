#include "agent/reclaim/memory_releaser.h"

#include <algorithm>
#include <iterator>

namespace jettison {

std::size_t MemoryReleaser::Room() const {
  return thread_.running() ? kMostHandles - std::min(kMostHandles, queue_->open.load()) : 0;
}

void MemoryReleaser::Take(std::vector<FileDescriptor> killed) {
  queue_->open += killed.size();
  {
    const std::lock_guard lock(queue_->mutex);
    std::ranges::move(killed, std::back_inserter(queue_->waiting));
  }
  thread_.Do([queue = queue_] { queue->ReleaseAll(); });
}

// Invalid: there is none.
FileDescriptor MemoryReleaser::Queue::TakeNext() {
  const std::lock_guard lock(mutex);
  if (waiting.empty()) return {};
  FileDescriptor next = std::move(waiting.front());
  waiting.pop_front();
  return next;
}

// A release fails if the process has ended already, if it shares its memory with a living one, or
// if the kernel lacks the call. The memory then becomes free later, as without a release.
void MemoryReleaser::Queue::ReleaseAll() {
  for (FileDescriptor process = TakeNext(); process; process = TakeNext()) {
    (void)release(process);
    process.Close();
    --open;
  }
}

}  // namespace jettison
