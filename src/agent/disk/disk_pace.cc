#include "agent/disk/disk_pace.h"

#include <chrono>

namespace jettison {
namespace {

// Shorter pieces of work cost more in wake-ups than they save.
constexpr Duration kPiece = std::chrono::milliseconds(5);

// When this thread began its piece of work. A thread walks for one pace only.
thread_local std::chrono::steady_clock::time_point working_since;

}  // namespace

Duration DiskPace::RestAfter(Duration worked, double share) {
  if (worked < kPiece || share >= 1) return Duration::zero();
  const double rest = static_cast<double>(worked.count()) * (1 - share) / share;
  return Duration(static_cast<Duration::rep>(rest));
}

void DiskPace::TakeUp() {
  working_since = std::chrono::steady_clock::now();
}

void DiskPace::Breathe() {
  if (urgent_ || stopped_) return TakeUp();
  const auto worked =
      std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - working_since);
  const Duration rest = RestAfter(worked, share_);
  if (rest == Duration::zero()) return;
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, rest, [this] { return urgent_ || stopped_; });
  TakeUp();
}

void DiskPace::SetUrgent(bool urgent) {
  if (urgent_ == urgent) return;
  {
    const std::lock_guard lock(mutex_);
    urgent_ = urgent;
  }
  changed_.notify_all();
}

void DiskPace::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
}

}  // namespace jettison
