#include "machine/loop/event_loop.h"

#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <span>
#include <utility>

#include "machine/loop/steady_clock.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

timespec TimespecOf(Duration time) {
  constexpr Duration::rep kSecond = 1'000'000'000;
  return {.tv_sec = time.count() / kSecond, .tv_nsec = time.count() % kSecond};
}

}  // namespace

struct EventLoop::Watched {
  OnReady on_ready;
  Urgency urgency = Urgency::kNormal;
  std::uint64_t called_back = 0;  // in which turn last, if it is not urgent
};

struct EventLoop::Signals {
  std::vector<FileDescriptor> taken_in;
  sigset_t mask_before{};
  bool has_come = false;
};

EventLoop::EventLoop() = default;

EventLoop::~EventLoop() {
  if (signals_ == nullptr || signals_->has_come) return;
  signals_->taken_in.clear();
  pthread_sigmask(SIG_SETMASK, &signals_->mask_before, nullptr);
}

Result<std::unique_ptr<EventLoop>> EventLoop::Make() {
  std::unique_ptr<EventLoop> loop(new EventLoop);
  if (const auto prepared = loop->Prepare(); !prepared) return Fail(prepared.error());
  return loop;
}

Result<void> EventLoop::Prepare() {
  epoll_ = FileDescriptor(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll_) return FailErrno("make the event loop");
  timer_ = FileDescriptor(::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!timer_) return FailErrno("make the timer of the event loop");
  return Add(timer_.get(), EPOLLIN, Urgency::kNormal, [this](std::uint32_t) { TimerExpired(); });
}

Result<void> EventLoop::Add(int fd, std::uint32_t events, Urgency urgency, OnReady on_ready) {
  auto watched = std::make_unique<Watched>(std::move(on_ready), urgency);
  epoll_event entry{.events = events, .data = {.fd = fd}};
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &entry) != 0) {
    return FailErrno("watch a descriptor");
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

void EventLoop::Unwatch(int fd) {
  const auto found = watched_.find(fd);
  if (found == watched_.end()) return;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
  dropped_.push_back(std::move(found->second));
  watched_.erase(found);
  // Another descriptor may have this number soon.
  for (epoll_event& ready : ready_) {
    if (ready.data.fd == fd) ready.data.fd = -1;
  }
}

void EventLoop::SetTimer(std::optional<Duration> delay) {
  due_.reset();
  if (delay) due_ = SteadyClock::SinceBoot() + std::max(*delay, Duration::zero());
}

// Only what has been set last in a turn is told to the kernel.
void EventLoop::SetKernelTimer() {
  if (set_to_ == due_) return;
  // Zero would stop it.
  itimerspec setting{};
  if (due_) setting.it_value = TimespecOf(std::max(*due_, Duration(1)));
  ::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &setting, nullptr);
  set_to_ = due_;
}

// It may have been set to another time since it was found to be ready.
void EventLoop::TimerExpired() {
  std::uint64_t times = 0;
  if (::read(timer_.get(), &times, sizeof times) != sizeof times) return;
  set_to_.reset();
  if (!due_ || *due_ > SteadyClock::SinceBoot()) return;
  due_.reset();
  on_timer_();
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
  FileDescriptor taken_in(::signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!taken_in) return FailErrno("take in signals");
  const int fd = taken_in.get();
  signals_->taken_in.push_back(std::move(taken_in));
  return Watch(fd, [this, fd, callback] {
    signalfd_siginfo signal{};
    if (::read(fd, &signal, sizeof signal) != sizeof signal) return;
    signals_->has_come = true;
    callback();
  });
}

Result<void> EventLoop::Wait() {
  SetKernelTimer();
  const int count = ::epoll_wait(epoll_.get(), ready_.data(), static_cast<int>(ready_.size()), -1);
  if (count < 0 && errno != EINTR) return FailErrno("wait for events");
  count_ = static_cast<std::size_t>(std::max(count, 0));
  ++turns_;
  return {};
}

EventLoop::Watched* EventLoop::Find(int fd) const {
  const auto found = watched_.find(fd);
  return found == watched_.end() ? nullptr : found->second.get();
}

// The kernel tells of a stall once, as soon as it is asked, so no alarm is left to another turn (or
// to an epoll within this one). Of the others the one comes that has waited longest; they are told
// again. A callback that unwatches its own descriptor drops it after the turn.
void EventLoop::CallBack() {
  const std::span ready = std::span(ready_).first(count_);
  bool any_urgent = false;
  for (const epoll_event& each : ready) {
    Watched* const watched = Find(each.data.fd);
    if (watched == nullptr || watched->urgency != Urgency::kFirst) continue;
    any_urgent = true;
    watched->on_ready(each.events);
  }
  if (any_urgent) return;
  Watched* next = nullptr;
  std::uint32_t events = 0;
  for (const epoll_event& each : ready) {
    Watched* const watched = Find(each.data.fd);
    if (watched == nullptr || (next != nullptr && next->called_back <= watched->called_back)) {
      continue;
    }
    next = watched;
    events = each.events;
  }
  if (next == nullptr) return;
  next->called_back = turns_;
  next->on_ready(events);
}

Result<void> EventLoop::Run(const Callback& after_each, const Callback& before_each) {
  quit_ = false;
  while (!quit_) {
    if (const auto waited = Wait(); !waited) return waited;
    if (before_each) before_each();
    CallBack();
    dropped_.clear();
    after_each();
  }
  return {};
}

}  // namespace jettison
