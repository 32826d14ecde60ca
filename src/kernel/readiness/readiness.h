#pragma once

#include <sys/epoll.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/units/duration.h"
#include "core/units/result.h"
#include "ports/file_descriptor.h"

namespace jettison::kernel {

// How long to wait after so many failures: twice as long after each, at most 5 s.
[[nodiscard]] constexpr Duration RetryDelay(Duration first, int failures) {
  constexpr Duration kLast = std::chrono::seconds(5);
  return std::min(first * (1 << std::min(failures, 12)), kLast);
}

// Combines everything that the runtime waits for (messages and ends of shims, timers, its own
// wake-ups) behind one descriptor, which is readable when any of it is due. It never waits itself.
// All timers share one timer descriptor.
class Readiness {
 public:
  using Callback = std::function<void()>;

  // One thing that is watched, until this is destroyed. Must not outlive the Readiness.
  class Watch {
   public:
    Watch() = default;
    Watch(Watch&& other) noexcept { *this = std::move(other); }
    Watch& operator=(Watch&& other) noexcept;
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    ~Watch() { Stop(); }
    void Stop();
    [[nodiscard]] explicit operator bool() const { return owner_ != nullptr; }

   private:
    friend class Readiness;
    Readiness* owner_ = nullptr;
    std::uint64_t id_ = 0;
  };

  [[nodiscard]] static Result<std::unique_ptr<Readiness>> Create();

  // Calls back from Dispatch for as long as `fd` is readable or hung up.
  [[nodiscard]] Watch OnReadable(int fd, Callback callback);
  // Calls back once from a Dispatch after `delay` (zero or less: the next one).
  [[nodiscard]] Watch After(Duration delay, Callback callback);
  // Makes fd() readable until the next Dispatch.
  void Wake();

  // Handles everything that is due now, each once.
  void Dispatch();
  [[nodiscard]] int fd() const { return epoll_.get(); }

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Entry {
    std::shared_ptr<Callback> callback;
    int fd = -1;              // of one that is watched
    std::optional<Time> due;  // of a timer that has not called yet, or when fd is offered again
  };

  Readiness() = default;
  [[nodiscard]] Watch Begin(Entry entry);
  void AddTimer(Time due, std::uint64_t id);
  void Stop(std::uint64_t id);
  void Offer(std::uint64_t id);
  void SetTimer();
  void Call(std::uint64_t id);

  FileDescriptor epoll_;
  FileDescriptor wake_;
  FileDescriptor timer_;
  std::uint64_t next_id_ = 1;
  std::map<std::uint64_t, Entry> entries_;
  std::set<std::pair<Time, std::uint64_t>> timers_;  // by when they are due
  std::vector<epoll_event> ready_;                   // of one Dispatch; kept for its memory
  std::vector<std::uint64_t> due_;                   // the same
};

}  // namespace jettison::kernel
