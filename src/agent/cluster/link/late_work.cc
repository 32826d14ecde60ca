#include "agent/cluster/link/late_work.h"

#include <mutex>
#include <utility>
#include <vector>

namespace jettison {

struct LateWork::Queue {
  void Put(std::function<void()> work) {
    const std::lock_guard lock(mutex);
    works.push_back(std::move(work));
  }
  [[nodiscard]] std::vector<std::function<void()>> TakeAll() {
    const std::lock_guard lock(mutex);
    return std::exchange(works, {});
  }

  std::mutex mutex;
  std::vector<std::function<void()>> works;
};

LateWork::LateWork()
    : queue_(std::make_shared<Queue>()),
      thread_({.name = "cluster-late",
               .without = "a token or certificate for the API server that is replaced is not used, "
                          "nor is another address of it"},
              AtEnd::kLeave) {}

// The thread keeps the newest of its waiting jobs alone, so each job does all the work there is.
void LateWork::Do(std::function<void()> work) {
  queue_->Put(std::move(work));
  thread_.Do([queue = queue_] {
    for (const auto& one : queue->TakeAll()) one();
  });
}

}  // namespace jettison
