#include "pod_host/readiness.h"

#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "ports/system_error.h"

namespace jettison::pod_host {
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
  if (!readiness->epoll_ || !readiness->wake_ ||
      !Add(readiness->epoll_.get(), readiness->wake_.get(), kWakeId)) {
    return FailErrno("set up epoll");
  }
  return readiness;
}

Readiness::Watch& Readiness::Watch::operator=(Watch&& other) noexcept {
  if (this == &other) return *this;
  Stop();
  owner_ = std::exchange(other.owner_, nullptr);
  id_ = other.id_;
  fd_ = other.fd_;
  timer_ = std::move(other.timer_);
  return *this;
}

void Readiness::Watch::Stop() {
  if (owner_ == nullptr) return;
  ::epoll_ctl(owner_->epoll_.get(), EPOLL_CTL_DEL, fd_, nullptr);
  owner_->callbacks_.erase(id_);
  owner_ = nullptr;
  timer_.Close();
}

Readiness::Watch Readiness::OnReadable(int fd, Callback callback) {
  Watch watch;
  watch.owner_ = this;
  watch.id_ = next_id_++;
  watch.fd_ = fd;
  callbacks_.emplace(watch.id_, std::make_shared<Callback>(std::move(callback)));
  Add(epoll_.get(), fd, watch.id_);
  return watch;
}

Readiness::Watch Readiness::After(Duration delay, Callback callback) {
  FileDescriptor timer(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  const auto ns = std::max<std::int64_t>(delay.count(), 1);  // zero would disarm it
  constexpr std::int64_t kSecond = 1'000'000'000;
  const itimerspec when{.it_interval = {},
                        .it_value = {.tv_sec = ns / kSecond, .tv_nsec = ns % kSecond}};
  ::timerfd_settime(timer.get(), 0, &when, nullptr);
  const int fd = timer.get();
  Watch watch = OnReadable(fd, [fd, once = std::move(callback)] {
    std::uint64_t expirations = 0;
    if (::read(fd, &expirations, sizeof(expirations)) == sizeof(expirations)) once();
  });
  watch.timer_ = std::move(timer);
  return watch;
}

void Readiness::Wake() {
  const std::uint64_t one = 1;
  (void)!::write(wake_.get(), &one, sizeof(one));
}

void Readiness::Dispatch() {
  // Room for everything: what stays ready, as the end of a process does, is told once in a
  // Dispatch.
  ready_.resize(callbacks_.size() + 1);
  const int count = ::epoll_wait(epoll_.get(), ready_.data(), static_cast<int>(ready_.size()), 0);
  for (int i = 0; i < count; ++i) {
    const std::uint64_t id = ready_[static_cast<std::size_t>(i)].data.u64;
    if (id == kWakeId) {
      std::uint64_t wakes = 0;
      (void)!::read(wake_.get(), &wakes, sizeof(wakes));
      continue;
    }
    // A callback may end any watch, its own included.
    const auto it = callbacks_.find(id);
    if (it == callbacks_.end()) continue;
    const std::shared_ptr<Callback> callback = it->second;
    (*callback)();
  }
}

}  // namespace jettison::pod_host
