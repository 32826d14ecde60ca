#include "cli/fleet/work_threads.h"

#include <sched.h>

#include <algorithm>
#include <condition_variable>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace jettison {
namespace {

constexpr std::size_t kWaitingPerJob = 4;

class WorkThreads {
 public:
  WorkThreads(std::size_t count, std::size_t jobs,
              const std::function<FleetNode(std::size_t)>& work)
      : count_(count), most_ahead_(jobs * kWaitingPerJob), work_(work) {
    try {
      while (threads_.size() < std::min(jobs, count)) threads_.emplace_back([this] { Work(); });
    } catch (const std::system_error&) {
      return;  // those that run do
    }
  }
  WorkThreads(const WorkThreads&) = delete;
  WorkThreads& operator=(const WorkThreads&) = delete;
  ~WorkThreads() {
    const std::lock_guard lock(mutex_);
    next_ = count_;
    changed_.notify_all();
  }
  [[nodiscard]] bool any() const { return !threads_.empty(); }

  FleetNode Take(std::size_t piece) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ready_.contains(piece); });
    FleetNode result = std::move(ready_.extract(piece).mapped());
    taken_ = piece + 1;
    changed_.notify_all();
    return result;
  }

 private:
  void Work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return next_ == count_ || next_ < taken_ + most_ahead_; });
      if (next_ == count_) return;
      const std::size_t piece = next_++;
      lock.unlock();
      FleetNode result = work_(piece);
      lock.lock();
      ready_.emplace(piece, std::move(result));
      changed_.notify_all();
    }
  }

  const std::size_t count_;
  const std::size_t most_ahead_;
  const std::function<FleetNode(std::size_t)>& work_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::size_t, FleetNode> ready_;
  std::size_t next_ = 0;
  std::size_t taken_ = 0;
  std::vector<std::jthread> threads_;  // last, so that they end first
};

// Processors' worth of a quota; absent: there is none.
std::optional<std::size_t> ProcessorsOf(double quota, double period) {
  if (!(quota > 0) || !(period > 0)) return std::nullopt;
  return static_cast<std::size_t>(std::max(1.0, quota / period + 0.5));
}

std::optional<std::size_t> ProcessorsOfGroup() {
  double quota = 0;
  double period = 0;
  // "max 100000" or "150000 100000"; of the root of what is mounted, as a container sees it.
  if (std::ifstream v2("/sys/fs/cgroup/cpu.max"); v2 >> quota >> period) {
    return ProcessorsOf(quota, period);
  }
  std::ifstream v1_quota("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
  std::ifstream v1_period("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  if (v1_quota >> quota && v1_period >> period) return ProcessorsOf(quota, period);
  return std::nullopt;
}

}  // namespace

std::size_t ProcessorsAvailable() {
  cpu_set_t set;
  CPU_ZERO(&set);
  const bool known = ::sched_getaffinity(0, sizeof set, &set) == 0;
  const auto allowed = static_cast<std::size_t>(known ? CPU_COUNT(&set) : 1);
  return std::max<std::size_t>(1, std::min(allowed, ProcessorsOfGroup().value_or(allowed)));
}

bool DoOnThreads(std::size_t count, std::size_t jobs,
                 const std::function<FleetNode(std::size_t piece)>& work,
                 const std::function<bool(std::size_t piece, FleetNode)>& take) {
  WorkThreads threads(count, std::max<std::size_t>(jobs, 1), work);
  if (count > 0 && !threads.any()) return false;
  for (std::size_t i = 0; i < count; ++i) {
    if (!take(i, threads.Take(i))) return false;
  }
  return true;
}

}  // namespace jettison
