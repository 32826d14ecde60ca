#include "agent/tell/service_notify.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <systemd/sd-daemon.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <string>

namespace jettison {
namespace {

const char* SocketName() {
  const char* name = std::getenv("NOTIFY_SOCKET");
  return name == nullptr ? "" : name;
}

// A path, or a name in the abstract namespace, "@name" (sd_notify(3)).
bool IsOurs(std::string_view name) {
  const bool known = name.starts_with('/') || name.starts_with('@');
  return known && name.size() < sizeof(sockaddr_un::sun_path);
}

}  // namespace

ServiceNotify::ServiceNotify() {
  std::uint64_t us = 0;
  if (sd_watchdog_enabled(0, &us) > 0) alive_every_ = std::chrono::microseconds(us / 2);
  if (!IsOurs(SocketName())) return;
  socket_ = FileDescriptor(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
}

void ServiceNotify::Reloading() const {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const auto us = std::uint64_t{1'000'000} * static_cast<std::uint64_t>(now.tv_sec) +
                  static_cast<std::uint64_t>(now.tv_nsec) / 1000;
  Tell("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(us));
}

void ServiceNotify::Tell(std::string_view state) const {
  const std::string_view name = SocketName();
  if (name.empty()) return;
  if (!socket_) {
    sd_notify(0, std::string(state).c_str());
    return;
  }
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::ranges::copy(name, address.sun_path);
  if (name.starts_with('@')) address.sun_path[0] = '\0';
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size() +
                                           (name.starts_with('@') ? 0 : 1));
  (void)::sendto(socket_.get(), state.data(), state.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
                 reinterpret_cast<const sockaddr*>(&address), size);
}

}  // namespace jettison
