#pragma once

#include <cstddef>
#include <deque>
#include <utility>

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

}  // namespace jettison
