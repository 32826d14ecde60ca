#include "http/server/poller.h"

#include <sys/epoll.h>

#include <algorithm>
#include <array>

#include "ports/system_error.h"

namespace jettison::http {

Result<Poller> Poller::Create() {
  FileDescriptor epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll) return FailErrno("make an event loop");
  return Poller(std::move(epoll));
}

Result<void> Poller::Watch(int descriptor, std::uint32_t events) {
  epoll_event event{.events = events, .data = {.fd = descriptor}};
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) == 0) return {};
  return FailErrno("watch a socket");
}

void Poller::Change(int descriptor, std::uint32_t events) {
  epoll_event event{.events = events, .data = {.fd = descriptor}};
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, descriptor, &event);
}

void Poller::Forget(int descriptor) {
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, descriptor, nullptr);
}

std::vector<int> Poller::Wait(int milliseconds) {
  std::array<epoll_event, 32> events{};
  const int count =
      ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), milliseconds);
  std::vector<int> ready;
  for (std::size_t i = 0; i < static_cast<std::size_t>(std::max(count, 0)); ++i) {
    ready.push_back(events.at(i).data.fd);
  }
  return ready;
}

}  // namespace jettison::http
