#include "agent/notify/service_notify.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <string>
#include <utility>

#include "core/text/number.h"

namespace jettison {
namespace {

const char* Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

const char* SocketName() {
  return Variable("NOTIFY_SOCKET");
}

FileDescriptor OpenSocket() {
  return FileDescriptor(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
}

// Absent where it is no number from 1 on.
std::optional<std::uint64_t> NumberIn(std::string_view text) {
  const auto number = ParseNumber<std::uint64_t>(text);
  return number && *number > 0 ? number : std::nullopt;
}

// How long the service manager waits for a sign of life of this process (sd_watchdog_enabled(3)).
std::optional<std::chrono::microseconds> Watchdog() {
  const std::string_view pid = Variable("WATCHDOG_PID");
  if (!pid.empty() && NumberIn(pid) != static_cast<std::uint64_t>(::getpid())) return std::nullopt;
  const auto us = NumberIn(Variable("WATCHDOG_USEC"));
  if (!us || !std::in_range<std::int64_t>(*us)) return std::nullopt;
  return std::chrono::microseconds(static_cast<std::int64_t>(*us));
}

// A path, or a name in the abstract namespace, "@name" (sd_notify(3)).
bool IsOurs(std::string_view name) {
  const bool known = name.starts_with('/') || name.starts_with('@');
  return known && name.size() < sizeof(sockaddr_un::sun_path);
}

}  // namespace

ServiceNotify::ServiceNotify() {
  if (const auto patience = Watchdog()) alive_every_ = *patience / 2;
  if (IsOurs(SocketName())) socket_ = OpenSocket();
}

void ServiceNotify::Reloading() const {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const auto us = std::uint64_t{1'000'000} * static_cast<std::uint64_t>(now.tv_sec) +
                  static_cast<std::uint64_t>(now.tv_nsec) / 1000;
  Report("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(us));
}

void ServiceNotify::Report(std::string_view state) const {
  const std::string_view name = SocketName();
  if (!IsOurs(name)) return;
  const FileDescriptor late = socket_ ? FileDescriptor() : OpenSocket();
  const FileDescriptor& socket = socket_ ? socket_ : late;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::ranges::copy(name, address.sun_path);
  if (name.starts_with('@')) address.sun_path[0] = '\0';
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size() +
                                           (name.starts_with('@') ? 0 : 1));
  (void)::sendto(socket.get(), state.data(), state.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
                 reinterpret_cast<const sockaddr*>(&address), size);
}

}  // namespace jettison
