#include "machine/own_disk_thread.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "ports/inheriting_mutex.h"

namespace jettison {
namespace {

constexpr auto kPatienceAtEnd = std::chrono::seconds(5);

}  // namespace

struct OwnDiskThread::Shared {
  InheritingMutex mutex;
  std::deque<Work> waiting;  // guarded by mutex
  bool busy = false;         // guarded by mutex; the thread does all that waits
  std::mutex end_mutex;
  std::condition_variable all_done;
  bool is_done = false;  // guarded by end_mutex

  // Whether the thread must be woken for it.
  bool Add(Work work) {
    const std::lock_guard lock(mutex);
    waiting.push_back(std::move(work));
    return !std::exchange(busy, true);
  }
  std::optional<Work> Next() {
    const std::lock_guard lock(mutex);
    busy = !waiting.empty();
    if (!busy) return std::nullopt;
    std::optional<Work> next = std::move(waiting.front());
    waiting.pop_front();
    return next;
  }
  void DoAll() {
    while (const auto work = Next()) (*work)();
  }
  void SayDone() {
    {
      const std::lock_guard lock(end_mutex);
      is_done = true;
    }
    all_done.notify_one();
  }
};

OwnDiskThread::OwnDiskThread()
    : shared_(std::make_shared<Shared>()),
      thread_({"own-disk", "the loop itself waits for a slow disk"}, AtEnd::kLeave) {}

OwnDiskThread::~OwnDiskThread() {
  if (!Do([shared = shared_] { shared->SayDone(); })) return;
  std::unique_lock lock(shared_->end_mutex);
  (void)shared_->all_done.wait_for(lock, kPatienceAtEnd, [this] { return shared_->is_done; });
}

bool OwnDiskThread::Do(Work work) {
  if (!thread_.running()) return false;
  if (shared_->Add(std::move(work))) {
    thread_.Do([shared = shared_] { shared->DoAll(); });
  }
  return true;
}

}  // namespace jettison
