#include "agent/loop/event_loop.h"

#include <systemd/sd-event.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <utility>
#include <vector>

#include "ports/system_error.h"

namespace jettison {
namespace {

// How late a timer may be so that wake-ups fall together. Timers are few; just before a memory
// threshold they follow one another in half milliseconds.
constexpr std::uint64_t kTimerAccuracyUs = 50;

struct Unref {
  void operator()(sd_event_source* source) const { sd_event_source_disable_unref(source); }
};
using Source = std::unique_ptr<sd_event_source, Unref>;

}  // namespace

struct EventLoop::Watched {
  std::function<void(std::uint32_t)> on_ready;  // of a descriptor
  Callback on_signal;
  Source source;
};

struct EventLoop::Sources {
  std::map<int, std::unique_ptr<Watched>> watched;  // by descriptor
  std::vector<std::unique_ptr<Watched>> dropped;    // one of them may be calling back now
  std::vector<std::unique_ptr<Watched>> signals;
  Source timer;
  sigset_t mask_before{};
  bool mask_changed = false;
  bool signal_has_come = false;
};

EventLoop::EventLoop(sd_event* event) : event_(event), sources_(std::make_unique<Sources>()) {}

EventLoop::~EventLoop() {
  const bool restore = sources_->mask_changed && !sources_->signal_has_come;
  const sigset_t mask = sources_->mask_before;
  sources_.reset();
  sd_event_unref(event_);
  if (restore) pthread_sigmask(SIG_SETMASK, &mask, nullptr);
}

Result<std::unique_ptr<EventLoop>> EventLoop::Make() {
  sd_event* event = nullptr;
  const int made = sd_event_new(&event);
  if (made < 0) return Fail(SystemError(-made, "make the event loop"));
  std::unique_ptr<EventLoop> loop(new EventLoop(event));
  if (const auto timer = loop->MakeTimer(); !timer) return Fail(timer.error());
  return loop;
}

Result<void> EventLoop::Add(int fd, std::uint32_t events, Urgency urgency,
                            std::function<void(std::uint32_t)> callback) {
  auto watched = std::make_unique<Watched>();
  watched->on_ready = std::move(callback);
  sd_event_source* source = nullptr;
  const int added = sd_event_add_io(
      event_, &source, fd, events,
      [](sd_event_source*, int, std::uint32_t seen, void* data) {
        static_cast<Watched*>(data)->on_ready(seen);
        return 0;
      },
      watched.get());
  if (added < 0) return Fail(SystemError(-added, "watch a descriptor"));
  watched->source.reset(source);
  sd_event_source_set_priority(
      source, urgency == Urgency::kFirst ? SD_EVENT_PRIORITY_IMPORTANT : SD_EVENT_PRIORITY_NORMAL);
  sources_->watched[fd] = std::move(watched);
  return {};
}

Result<void> EventLoop::Watch(int fd, Callback callback, Urgency urgency) {
  return Add(fd, EPOLLIN, urgency, [callback = std::move(callback)](std::uint32_t) { callback(); });
}

Result<void> EventLoop::WatchAlarm(int fd, std::function<void(bool error)> callback) {
  return Add(fd, EPOLLPRI, Urgency::kFirst, [callback = std::move(callback)](std::uint32_t seen) {
    callback((seen & EPOLLERR) != 0);
  });
}

void EventLoop::Unwatch(int fd) {
  const auto found = sources_->watched.find(fd);
  if (found == sources_->watched.end()) return;
  found->second->source.reset();
  sources_->dropped.push_back(std::move(found->second));
  sources_->watched.erase(found);
}

void EventLoop::SetTimer(std::optional<Duration> delay) {
  sd_event_source* const timer = sources_->timer.get();
  if (!delay) {
    sd_event_source_set_enabled(timer, SD_EVENT_OFF);
    return;
  }
  const auto wait =
      std::chrono::ceil<std::chrono::microseconds>(std::max(*delay, Duration::zero()));
  sd_event_source_set_time_relative(timer, static_cast<std::uint64_t>(wait.count()));
  sd_event_source_set_enabled(timer, SD_EVENT_ONESHOT);
}

Result<void> EventLoop::MakeTimer() {
  sd_event_source* source = nullptr;
  const int added = sd_event_add_time_relative(
      event_, &source, CLOCK_BOOTTIME, 0, kTimerAccuracyUs,
      [](sd_event_source*, std::uint64_t, void* data) {
        static_cast<EventLoop*>(data)->on_timer_();
        return 0;
      },
      this);
  if (added < 0) return Fail(SystemError(-added, "make the timer of the event loop"));
  sources_->timer.reset(source);
  sd_event_source_set_enabled(source, SD_EVENT_OFF);
  return {};
}

Result<void> EventLoop::OnSignals(std::initializer_list<int> signals, const Callback& callback) {
  sigset_t mask;
  sigemptyset(&mask);
  for (const int signal : signals) sigaddset(&mask, signal);
  pthread_sigmask(SIG_BLOCK, &mask, sources_->mask_changed ? nullptr : &sources_->mask_before);
  sources_->mask_changed = true;
  for (const int signal : signals) {
    auto watched = std::make_unique<Watched>();
    watched->on_signal = [this, callback] {
      sources_->signal_has_come = true;
      callback();
    };
    sd_event_source* source = nullptr;
    const int added = sd_event_add_signal(
        event_, &source, signal,
        [](sd_event_source*, const signalfd_siginfo*, void* data) {
          static_cast<Watched*>(data)->on_signal();
          return 0;
        },
        watched.get());
    if (added < 0) return Fail(SystemError(-added, "take in signals"));
    watched->source.reset(source);
    sources_->signals.push_back(std::move(watched));
  }
  return {};
}

Result<void> EventLoop::Run(const Callback& after_each) {
  quit_ = false;
  while (!quit_) {
    const int turned = sd_event_run(event_, UINT64_MAX);
    if (turned < 0) return Fail(SystemError(-turned, "wait for events"));
    sources_->dropped.clear();
    after_each();
  }
  return {};
}

}  // namespace jettison
