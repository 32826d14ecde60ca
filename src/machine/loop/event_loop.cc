#include "machine/loop/event_loop.h"

#include <sys/epoll.h>
#include <sys/signalfd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <string_view>
#include <utility>

#include "machine/loop/steady_clock.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

// What a function of sd-event returned: minus an errno where it failed.
Result<void> Checked(int returned, std::string_view what) {
  if (returned >= 0) return {};
  return Fail(SystemError(-returned, what));
}

}  // namespace

struct EventLoop::Watched {
  OnReady on_ready;
  Source source;
};

struct EventLoop::Signals {
  std::map<int, Callback> callbacks;  // by signal
  std::vector<Source> sources;
  sigset_t mask_before{};
  bool has_come = false;
};

EventLoop::~EventLoop() {
  if (signals_ == nullptr || signals_->has_come) return;
  signals_->sources.clear();
  pthread_sigmask(SIG_SETMASK, &signals_->mask_before, nullptr);
}

Result<std::unique_ptr<EventLoop>> EventLoop::Make() {
  std::unique_ptr<EventLoop> made(new EventLoop);
  sd_event* loop = nullptr;
  const auto begun = Checked(::sd_event_new(&loop), "make the event loop");
  if (!begun) return Fail(begun.error());
  made->loop_.reset(loop);
  sd_event_source* timer = nullptr;
  const auto nothing = [](sd_event_source*, std::uint64_t, void*) { return 0; };
  constexpr std::uint64_t kExact = 1;  // us; 0 would stand for 250 ms
  const auto timed =
      Checked(::sd_event_add_time(loop, &timer, CLOCK_BOOTTIME, 0, kExact, nothing, nullptr),
              "add its timer");
  if (!timed) return Fail(timed.error());
  made->timer_.reset(timer);
  made->SetTimer(std::nullopt);
  return made;
}

Result<void> EventLoop::Add(int fd, std::uint32_t events, Urgency urgency, OnReady on_ready) {
  auto watched = std::make_unique<Watched>();
  watched->on_ready = std::move(on_ready);
  const auto call_back = [](sd_event_source*, int, std::uint32_t seen, void* of) {
    static_cast<Watched*>(of)->on_ready(seen);
    return 0;
  };
  sd_event_source* source = nullptr;
  auto added =
      Checked(::sd_event_add_io(loop_.get(), &source, fd, events, call_back, watched.get()),
              "watch a descriptor");
  if (!added) return added;
  watched->source.reset(source);
  if (urgency == Urgency::kFirst) {
    ::sd_event_source_set_priority(source, SD_EVENT_PRIORITY_IMPORTANT);
  }
  watched_[fd] = std::move(watched);
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

// A callback that unwatches its own descriptor is destroyed after the turn.
void EventLoop::Unwatch(int fd) {
  const auto found = watched_.find(fd);
  if (found == watched_.end()) return;
  found->second->source.reset();
  dropped_.push_back(std::move(found->second));
  watched_.erase(found);
}

void EventLoop::SetTimer(std::optional<Duration> delay) {
  ::sd_event_source_set_enabled(timer_.get(), delay ? SD_EVENT_ONESHOT : SD_EVENT_OFF);
  if (!delay) return;
  const auto at = std::chrono::ceil<std::chrono::microseconds>(SteadyClock::SinceBoot() +
                                                               std::max(*delay, Duration::zero()));
  ::sd_event_source_set_time(timer_.get(), static_cast<std::uint64_t>(at.count()));
}

Result<void> EventLoop::OnSignals(std::initializer_list<int> signals, const Callback& callback) {
  sigset_t mask;
  sigemptyset(&mask);
  for (const int signal : signals) sigaddset(&mask, signal);
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &mask, &before);
  if (signals_ == nullptr) {
    signals_ = std::make_unique<Signals>();
    signals_->mask_before = before;
  }
  const auto call_back = [](sd_event_source*, const signalfd_siginfo* signal, void* of) {
    Signals& own = *static_cast<Signals*>(of);
    own.has_come = true;
    own.callbacks.at(static_cast<int>(signal->ssi_signo))();
    return 0;
  };
  for (const int signal : signals) {
    signals_->callbacks[signal] = callback;
    sd_event_source* source = nullptr;
    auto taken =
        Checked(::sd_event_add_signal(loop_.get(), &source, signal, call_back, signals_.get()),
                "take in signals");
    if (!taken) return taken;
    signals_->sources.emplace_back(source);
  }
  return {};
}

Result<void> EventLoop::Run(const Callback& after_each, const Callback& before_each) {
  quit_ = false;
  while (!quit_) {
    int ready = ::sd_event_prepare(loop_.get());
    if (ready == 0) ready = ::sd_event_wait(loop_.get(), UINT64_MAX);
    if (before_each) before_each();
    if (ready > 0) ready = ::sd_event_dispatch(loop_.get());
    if (ready < 0) return Fail(SystemError(-ready, "wait for events"));
    dropped_.clear();
    after_each();
  }
  return {};
}

}  // namespace jettison
