#include "agent/notify/service_notify.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace jettison {

ServiceNotify::ServiceNotify() {
  std::uint64_t us = 0;
  if (::sd_watchdog_enabled(0, &us) > 0) alive_every_ = std::chrono::microseconds(us / 2);
  const char* const variable = std::getenv("NOTIFY_SOCKET");
  const std::string_view name = variable == nullptr ? "" : variable;
  const bool is_abstract = name.starts_with('@');
  if ((!is_abstract && !name.starts_with('/')) || name.size() >= sizeof(address_.sun_path)) return;
  address_.sun_family = AF_UNIX;
  std::ranges::copy(name, address_.sun_path);
  if (is_abstract) address_.sun_path[0] = '\0';
  size_ =
      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size() + (is_abstract ? 0 : 1));
  socket_ = FileDescriptor(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
}

void ServiceNotify::Reloading() const {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  Report(
      fmt::format("RELOADING=1\nMONOTONIC_USEC={}", now.tv_sec * 1'000'000 + now.tv_nsec / 1000));
}

void ServiceNotify::Report(std::string_view state) const {
  (void)::sendto(socket_.get(), state.data(), state.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
                 reinterpret_cast<const sockaddr*>(&address_), size_);
}

}  // namespace jettison
