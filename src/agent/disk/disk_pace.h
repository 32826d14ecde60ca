#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "core/units/duration.h"

namespace jettison {

// Keeps threads that walk through files from taking a machine's disk and processors: each rests
// between pieces of work, so that of its time only a share is work.
class DiskPace {
 public:
  // `share`: of each thread's time, above 0, at most 1.
  explicit DiskPace(double share) : share_(share) {}

  // How long to rest after so much work; zero while it is so little that it adds up first.
  [[nodiscard]] static Duration RestAfter(Duration worked, double share);

  // The calling thread begins to work.
  void TakeUp();
  // It has waited for work so long, which is rest, too.
  void Waited(Duration time);
  // It is between two pieces of work: it rests as long as it owes.
  void Breathe();
  // While somebody waits for the figures because a disk is short, nobody rests.
  void SetUrgent(bool urgent);
  [[nodiscard]] const std::atomic<bool>& urgent() const { return urgent_; }
  // Nobody rests any more.
  void Stop();

 private:
  const double share_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> urgent_ = false;  // changed with mutex_ held
  std::atomic<bool> stopped_ = false;
};

}  // namespace jettison
