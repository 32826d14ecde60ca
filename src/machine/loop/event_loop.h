#pragma once

#include <sys/epoll.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/units/duration.h"
#include "core/units/result.h"
#include "ports/file_descriptor.h"

namespace jettison {

// The event loop of the agent's main thread: it waits for descriptors, signals, and one timer. What
// it needs of the kernel it takes when it is made and when something is watched, never while it
// turns. In each turn it calls back for all that is urgent, or else for one other descriptor.
class EventLoop {
 public:
  using Callback = std::function<void()>;
  // Which of several ready descriptors comes first.
  enum class Urgency : bool { kNormal, kFirst };

  [[nodiscard]] static Result<std::unique_ptr<EventLoop>> Make();
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Calls back while `fd` is readable. The descriptor stays the caller's and must be unwatched
  // before it is closed.
  [[nodiscard]] Result<void> Watch(int fd, Callback callback, Urgency urgency = Urgency::kNormal);
  // Calls back when the kernel marks `fd` (EPOLLPRI), before anything else. `error`: it did so with
  // EPOLLERR, which some files always do and others when what they belong to is gone.
  [[nodiscard]] Result<void> WatchAlarm(int fd, std::function<void(bool error)> callback);
  void Unwatch(int fd);
  // Calls back once, `delay` from now, which counts while the machine is suspended; absent: not at
  // all. Replaces what was set before.
  void SetTimer(std::optional<Duration> delay);
  void OnTimer(Callback callback) { on_timer_ = std::move(callback); }
  // Blocks these signals for the calling thread, until the loop is destroyed, and takes them in.
  // Once one has come they stay blocked, because the next one would end the program by itself, in
  // the middle of what it does at its end.
  [[nodiscard]] Result<void> OnSignals(std::initializer_list<int> signals,
                                       const Callback& callback);

  // Turns until Quit; `after_each` is called after each turn, and `before_each`, if there is one,
  // between the wait and what the turn calls back.
  [[nodiscard]] Result<void> Run(const Callback& after_each, const Callback& before_each = nullptr);
  void Quit() { quit_ = true; }

 private:
  using OnReady = std::function<void(std::uint32_t events)>;
  struct Watched;
  struct Signals;

  EventLoop();
  [[nodiscard]] Result<void> Prepare();
  [[nodiscard]] Result<void> Add(int fd, std::uint32_t events, Urgency urgency, OnReady on_ready);
  // Waits until something is ready.
  [[nodiscard]] Result<void> Wait();
  void CallBack();
  // Null: it is not watched.
  [[nodiscard]] Watched* Find(int fd) const;
  void SetKernelTimer();
  void TimerExpired();

  FileDescriptor epoll_;
  FileDescriptor timer_;
  std::map<int, std::unique_ptr<Watched>> watched_;  // by descriptor
  std::vector<std::unique_ptr<Watched>> dropped_;    // one of them may be calling back now
  std::unique_ptr<Signals> signals_;
  std::array<epoll_event, 32> ready_{};  // of the last wait
  std::size_t count_ = 0;                // in ready_
  std::uint64_t turns_ = 0;
  std::optional<Duration> due_;     // when the timer is to call back, since boot
  std::optional<Duration> set_to_;  // what the kernel's timer stands at
  Callback on_timer_;
  bool quit_ = false;
};

}  // namespace jettison
