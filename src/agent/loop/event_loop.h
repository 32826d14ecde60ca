#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>

#include "core/units/duration.h"
#include "core/units/result.h"

struct sd_event;
struct sd_event_source;

namespace jettison {

// The event loop of the agent's main thread: it waits for descriptors, signals, and one timer,
// which is created at the beginning. Hides sd-event.
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
  // Calls back once, `delay` from now; absent: not at all. Replaces what was set before.
  void SetTimer(std::optional<Duration> delay);
  void OnTimer(Callback callback) { on_timer_ = std::move(callback); }
  // Blocks these signals for the calling thread, until the loop is destroyed, and takes them in.
  // Once one has come they stay blocked, because the next one would end the program by itself, in
  // the middle of what it does at its end.
  [[nodiscard]] Result<void> OnSignals(std::initializer_list<int> signals,
                                       const Callback& callback);

  // Turns until Quit; `after_each` is called after each round of callbacks.
  [[nodiscard]] Result<void> Run(const Callback& after_each);
  void Quit() { quit_ = true; }

 private:
  struct Watched;
  struct Sources;

  explicit EventLoop(sd_event* event);
  [[nodiscard]] Result<void> MakeTimer();
  [[nodiscard]] Result<void> Add(int fd, std::uint32_t events, Urgency urgency,
                                 std::function<void(std::uint32_t)> callback);

  sd_event* event_;
  std::unique_ptr<Sources> sources_;
  Callback on_timer_;
  bool quit_ = false;
};

}  // namespace jettison
