#include "machine/own_process/slow_path_threads.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "kernel/filesystem/place.h"

namespace jettison {
namespace {

// What a thread is occupied by: the file system, as far as it can be identified without asking it.
std::string KeeperOf(const std::string& path) {
  const Place place = FindPlace(path);
  return place.mount ? place.mount->point : place.path;
}

}  // namespace

struct SlowPathThreads::Shared {
  struct Waiting {
    std::string keeper;
    std::weak_ptr<Work> work;
  };
  std::mutex mutex;
  std::deque<Waiting> waiting;  // guarded by mutex
  std::set<std::string> kept;   // guarded by mutex; by work that is being done

  void Add(Waiting each) {
    const std::lock_guard lock(mutex);
    std::erase_if(waiting, [](const Waiting& old) { return old.work.expired(); });
    waiting.push_back(std::move(each));
  }

  struct Taken {
    std::string keeper;
    std::shared_ptr<Work> work;
  };
  std::optional<Taken> Take() {
    const std::lock_guard lock(mutex);
    std::erase_if(waiting, [](const Waiting& old) { return old.work.expired(); });
    const auto next = std::ranges::find_if(
        waiting, [this](const Waiting& each) { return !kept.contains(each.keeper); });
    if (next == waiting.end()) return std::nullopt;
    Taken taken{std::move(next->keeper), next->work.lock()};
    waiting.erase(next);
    if (taken.work) kept.insert(taken.keeper);
    return taken;
  }

  void Release(const std::string& keeper) {
    const std::lock_guard lock(mutex);
    kept.erase(keeper);
  }

  void DoAll() {
    while (const auto taken = Take()) {
      if (!taken->work) continue;
      (*taken->work)();
      Release(taken->keeper);
    }
  }
};

SlowPathThreads::SlowPathThreads() : shared_(std::make_shared<Shared>()) {
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads_.push_back(std::make_unique<BackgroundThread>(
        ThreadPurpose{"slow-path",
                      "pods whose volumes are on network or FUSE file systems may wait"},
        AtEnd::kLeave));
  }
}

bool SlowPathThreads::MayHang(const std::string& path) const {
  return path.starts_with('/') && !FindPlace(path).answers_by_itself;
}

// Every thread is woken. A thread that is occupied looks later and finds the work done.
void SlowPathThreads::Do(const std::string& path, const std::shared_ptr<Work>& work) {
  shared_->Add({KeeperOf(path), work});
  for (const auto& thread : threads_) {
    thread->Do([shared = shared_] { shared->DoAll(); });
  }
}

}  // namespace jettison
