#include "machine/own_process/own_disk_thread.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace jettison {
namespace {

constexpr auto kPatienceAtEnd = std::chrono::seconds(5);

}  // namespace

struct OwnDiskThread::Shared {
  std::mutex mutex;
  std::condition_variable idle;
  std::deque<Work> waiting;  // guarded by mutex
  bool busy = false;         // guarded by mutex; the thread does all that waits

  // Whether the thread must be woken for it.
  bool Add(Work work) {
    const std::lock_guard lock(mutex);
    waiting.push_back(std::move(work));
    return !std::exchange(busy, true);
  }
  std::optional<Work> Next() {
    const std::lock_guard lock(mutex);
    busy = !waiting.empty();
    if (!busy) {
      idle.notify_one();
      return std::nullopt;
    }
    std::optional<Work> next = std::move(waiting.front());
    waiting.pop_front();
    return next;
  }
  void DoAll() {
    while (const auto work = Next()) (*work)();
  }
  void WaitUntilIdle(std::chrono::nanoseconds patience) {
    std::unique_lock lock(mutex);
    (void)idle.wait_for(lock, patience, [this] { return !busy; });
  }
};

OwnDiskThread::OwnDiskThread()
    : shared_(std::make_shared<Shared>()),
      thread_({"own-disk", "the loop itself waits for a slow disk"}, AtEnd::kLeave) {}

OwnDiskThread::~OwnDiskThread() {
  shared_->WaitUntilIdle(kPatienceAtEnd);
}

bool OwnDiskThread::Do(Work work) {
  if (!thread_.running()) return false;
  if (shared_->Add(std::move(work))) {
    thread_.Do([shared = shared_] { shared->DoAll(); });
  }
  return true;
}

}  // namespace jettison
