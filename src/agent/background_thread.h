#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace jettison {

// A thread beside the loop that does one job at a time; of jobs that wait only the newest is kept.
// It is started with the first job, takes no signals, and ends with this object, after the job it
// is at.
class BackgroundThread {
 public:
  using Job = std::function<void()>;

  BackgroundThread() = default;
  BackgroundThread(const BackgroundThread&) = delete;
  BackgroundThread& operator=(const BackgroundThread&) = delete;
  ~BackgroundThread();

  // Never waits. A job that had not begun yet is dropped.
  void Do(Job job);

 private:
  void Work();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::optional<Job> next_;  // guarded by mutex_
  bool stop_ = false;        // guarded by mutex_
  std::thread thread_;
};

}  // namespace jettison
