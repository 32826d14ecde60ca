#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ports/disk_thread.h"

namespace jettison {

// A disk that is as slow as the test wants: work is done when the test calls Answer.
class FakeDiskThread : public DiskThread {
 public:
  // There is no thread.
  bool refuses = false;

  [[nodiscard]] bool Do(Work work) override {
    if (refuses) return false;
    works_.push_back(std::move(work));
    return true;
  }
  // How many pieces of work wait.
  [[nodiscard]] std::size_t waiting() const { return works_.size(); }
  // Does what waits; returns how many pieces of work that were.
  int Answer() {
    int done = 0;
    for (; !works_.empty(); ++done) {
      const Work work = std::move(works_.front());
      works_.pop_front();
      work();
    }
    return done;
  }

 private:
  std::deque<Work> works_;
};

// Paths below `folder` count as slow; their work runs when the test calls Answer. The disk of the
// agent's own files is fast.
class FakeSlowPaths : public DiskThread {
 public:
  explicit FakeSlowPaths(std::string folder) : folder_(std::move(folder)) {}

  [[nodiscard]] bool Do(Work) override { return false; }
  [[nodiscard]] bool MayHang(const std::string& path) const override {
    return path.starts_with(folder_);
  }
  void DoAt(const std::string&, const std::shared_ptr<Work>& work) override {
    works_.push_back(work);
  }
  // Runs the waiting work whose owner has not released it. Returns how many pieces were run.
  int Answer() {
    int done = 0;
    for (const auto& waiting : std::exchange(works_, {})) {
      const auto work = waiting.lock();
      if (!work) continue;
      (*work)();
      ++done;
    }
    return done;
  }

 private:
  std::string folder_;
  std::vector<std::weak_ptr<Work>> works_;
};

}  // namespace jettison
