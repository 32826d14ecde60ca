#include "kernel/readiness/readiness.h"

#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>

#include "ports/system_error.h"

namespace jettison::kernel {
namespace {

constexpr std::uint64_t kWakeId = 0;

bool Add(int epoll, int fd, std::uint64_t id) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = id;
  return ::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

}  // namespace

Result<std::unique_ptr<Readiness>> Readiness::Create() {
  std::unique_ptr<Readiness> readiness(new Readiness);
  readiness->epoll_ = FileDescriptor(::epoll_create1(EPOLL_CLOEXEC));
  readiness->wake_ = FileDescriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  readiness->timer_ = FileDescriptor(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  const int epoll = readiness->epoll_.get();
  if (!readiness->epoll_ || !readiness->wake_ || !readiness->timer_ ||
      !Add(epoll, readiness->wake_.get(), kWakeId) ||
      !Add(epoll, readiness->timer_.get(), kWakeId)) {
    return FailErrno("set up epoll");
  }
  return readiness;
}

Readiness::Watch& Readiness::Watch::operator=(Watch&& other) noexcept {
  if (this == &other) return *this;
  Stop();
  owner_ = std::exchange(other.owner_, nullptr);
  id_ = other.id_;
  return *this;
}

void Readiness::Watch::Stop() {
  if (owner_ != nullptr) std::exchange(owner_, nullptr)->Stop(id_);
}

void Readiness::Stop(std::uint64_t id) {
  const auto found = entries_.find(id);
  if (found->second.fd >= 0) {
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, found->second.fd, nullptr);
  }
  if (found->second.due) timers_.erase({*found->second.due, id});
  entries_.erase(found);
}

Readiness::Watch Readiness::Begin(Entry entry) {
  Watch watch;
  watch.owner_ = this;
  watch.id_ = next_id_++;
  entries_.emplace(watch.id_, std::move(entry));
  return watch;
}

Readiness::Watch Readiness::OnReadable(int fd, Callback callback) {
  Watch watch = Begin({.callback = std::make_shared<Callback>(std::move(callback)), .fd = fd});
  Offer(watch.id_);
  return watch;
}

// epoll refuses a descriptor where there is no memory, or the user has no watches left
// (fs.epoll.max_user_watches). It is offered again, then.
void Readiness::Offer(std::uint64_t id) {
  constexpr Duration kOfferAgain = std::chrono::milliseconds(100);
  Entry& entry = entries_.at(id);
  if (Add(epoll_.get(), entry.fd, id)) return;
  entry.due = std::chrono::steady_clock::now() + kOfferAgain;
  AddTimer(*entry.due, id);
}

void Readiness::AddTimer(Time due, std::uint64_t id) {
  timers_.emplace(due, id);
  if (timers_.begin()->second == id) SetTimer();
}

Readiness::Watch Readiness::After(Duration delay, Callback callback) {
  const Time due = std::chrono::steady_clock::now() + delay;
  Watch watch = Begin({.callback = std::make_shared<Callback>(std::move(callback)), .due = due});
  AddTimer(due, watch.id_);
  return watch;
}

// Sets the timer to the next deadline. It may still be set to one that was stopped, which causes an
// unnecessary wake-up.
void Readiness::SetTimer() {
  const Time now = std::chrono::steady_clock::now();
  if (timers_.empty()) return;
  const auto wait =
      std::chrono::duration_cast<std::chrono::nanoseconds>(timers_.begin()->first - now);
  const auto ns = std::max<std::int64_t>(wait.count(), 1);  // zero would disarm it
  constexpr std::int64_t kSecond = 1'000'000'000;
  const itimerspec when{.it_interval = {},
                        .it_value = {.tv_sec = ns / kSecond, .tv_nsec = ns % kSecond}};
  ::timerfd_settime(timer_.get(), 0, &when, nullptr);
}

void Readiness::Wake() {
  const std::uint64_t one = 1;
  (void)!::write(wake_.get(), &one, sizeof(one));
}

// A callback may end any watch, its own included.
void Readiness::Call(std::uint64_t id) {
  const auto found = entries_.find(id);
  if (found == entries_.end()) return;
  if (const auto due = std::exchange(found->second.due, std::nullopt)) {
    timers_.erase({*due, id});
    if (found->second.fd >= 0) return Offer(id);
  }
  const std::shared_ptr<Callback> callback = found->second.callback;
  (*callback)();
}

void Readiness::Dispatch() {
  std::uint64_t ignored = 0;
  (void)!::read(wake_.get(), &ignored, sizeof(ignored));
  (void)!::read(timer_.get(), &ignored, sizeof(ignored));
  due_.clear();
  const Time now = std::chrono::steady_clock::now();
  // There is space for all events, so what stays ready, like the end of a process, is reported once
  // in a Dispatch.
  ready_.resize(entries_.size() + 2);
  const int count = ::epoll_wait(epoll_.get(), ready_.data(), static_cast<int>(ready_.size()), 0);
  for (int i = 0; i < count; ++i) {
    due_.push_back(std::uint64_t{ready_[static_cast<std::size_t>(i)].data.u64});  // it is packed
  }
  for (const auto& [due, id] : timers_) {
    if (due > now) break;
    due_.push_back(id);
  }
  for (const std::uint64_t id : due_) Call(id);
  SetTimer();
}

}  // namespace jettison::kernel
