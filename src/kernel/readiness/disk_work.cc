#include "kernel/readiness/disk_work.h"

#include <sys/eventfd.h>

#include <mutex>
#include <utility>
#include <vector>

#include "ports/file_descriptor.h"

namespace jettison::kernel {

struct DiskWork::Shared {
  struct Outcome {
    std::uint64_t number = 0;
    Result<void> result;
  };
  FileDescriptor over;  // readable when an outcome is there
  std::mutex mutex;
  std::vector<Outcome> outcomes;  // guarded by mutex

  void Add(Outcome outcome) {
    {
      const std::lock_guard lock(mutex);
      outcomes.push_back(std::move(outcome));
    }
    eventfd_write(over.get(), 1);
  }
  std::vector<Outcome> Take() {
    eventfd_t count = 0;
    (void)eventfd_read(over.get(), &count);
    const std::lock_guard lock(mutex);
    return std::exchange(outcomes, {});
  }
};

DiskWork::DiskWork(Readiness& readiness, std::shared_ptr<DiskThread> thread)
    : thread_(std::move(thread)) {
  if (!thread_) return;
  FileDescriptor over(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!over) {
    thread_.reset();  // the caller does the work
    return;
  }
  shared_ = std::make_shared<Shared>();
  shared_->over = std::move(over);
  on_done_ = readiness.OnReadable(shared_->over.get(), [this] { Deliver(); });
}

DiskWork::~DiskWork() = default;

void DiskWork::Do(const Work& work, Done done) {
  const std::uint64_t number = next_++;
  if (thread_ && thread_->Do([shared = shared_, number, work] { shared->Add({number, work()}); })) {
    if (done) waiting_.emplace(number, std::move(done));
    return;
  }
  const Result<void> result = work();
  if (done) done(result);
}

void DiskWork::Deliver() {
  for (const auto& [number, result] : shared_->Take()) {
    const auto waiting = waiting_.extract(number);
    if (!waiting.empty()) waiting.mapped()(result);
  }
}

}  // namespace jettison::kernel
