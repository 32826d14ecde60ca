#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "core/units/duration.h"

namespace jettison {

// Limits the load of threads that walk through files: each pauses between pieces of work, so that
// it works only for a share of the time.
class DiskPace {
 public:
  // `share`: of each thread's time, above 0, at most 1.
  explicit DiskPace(double share) : share_(share) {}

  // How long to pause after `worked`; zero while that is too little for a pause.
  [[nodiscard]] static Duration RestAfter(Duration worked, double share);

  // The calling thread begins to work.
  void TakeUp();
  // Between two pieces of work: pauses for the time that is due.
  void Breathe();
  // While urgent, because a decision for a disk waits for the figures, no thread pauses.
  void SetUrgent(bool urgent);
  [[nodiscard]] const std::atomic<bool>& urgent() const { return urgent_; }
  // No thread pauses any more.
  void Stop();

 private:
  const double share_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> urgent_ = false;  // changed with mutex_ held
  std::atomic<bool> stopped_ = false;
};

}  // namespace jettison
