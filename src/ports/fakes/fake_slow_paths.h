#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ports/disk_thread.h"

namespace jettison {

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
