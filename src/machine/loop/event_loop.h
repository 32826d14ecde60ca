#pragma once

#include <systemd/sd-event.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison {

// The event loop of the agent's main thread: it waits for descriptors, signals, and one timer, by
// sd-event(3). In each turn it calls back for one of those that are ready: what is urgent first,
// then whoever has waited longest.
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
  // A turn begins after `delay`, which counts while the machine is suspended, at the latest;
  // absent: none does for that. Replaces what was set before.
  void SetTimer(std::optional<Duration> delay);
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
  struct Unref {
    void operator()(sd_event* loop) const { ::sd_event_unref(loop); }
    void operator()(sd_event_source* source) const { ::sd_event_source_disable_unref(source); }
  };
  using Source = std::unique_ptr<sd_event_source, Unref>;
  struct Watched;
  struct Signals;

  EventLoop() = default;
  [[nodiscard]] Result<void> Add(int fd, std::uint32_t events, Urgency urgency, OnReady on_ready);

  std::unique_ptr<sd_event, Unref> loop_;
  Source timer_;
  std::map<int, std::unique_ptr<Watched>> watched_;  // by descriptor
  std::vector<std::unique_ptr<Watched>> dropped_;    // one of them may be calling back now
  std::unique_ptr<Signals> signals_;
  bool quit_ = false;
};

}  // namespace jettison
