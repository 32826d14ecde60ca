#include "platform/http/client_wire.h"

#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "ports/system_error.h"

namespace jettison::http {
namespace {

constexpr int kSocketFlags = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;

// Why nobody was reached, and what may be done.
tl::unexpected<Error> Unreachable(const std::string& endpoint, int errno_value) {
  const std::string why = std::generic_category().message(errno_value);
  if (errno_value == EACCES || errno_value == EPERM) {
    return Fail(
        ErrorCode::kPermissionDenied,
        fmt::format("{}: {}; ask as root, or as a member of the socket's group", endpoint, why));
  }
  if (errno_value == ENOENT || errno_value == ECONNREFUSED) {
    return Fail(ErrorCode::kUnavailable,
                fmt::format("no agent answers at {}: {}; is it running (jettison run), and is this "
                            "where its configuration has it listen (http)?",
                            endpoint, why));
  }
  return Fail(ErrorCode::kUnavailable, fmt::format("no agent answers at {}: {}", endpoint, why));
}

// Connects within the time; 0, or why not.
int ConnectErrno(int socket, const sockaddr* address, socklen_t size, Deadline deadline) {
  if (::connect(socket, address, size) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  if (!WaitFor(socket, POLLOUT, deadline)) return ETIMEDOUT;
  int error = 0;
  socklen_t length = sizeof(error);
  ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length);
  return error;
}

Result<FileDescriptor> ConnectUnix(const Endpoint& endpoint, const std::string& shown,
                                   Deadline deadline) {
  FileDescriptor socket(::socket(AF_UNIX, kSocketFlags, 0));
  if (!socket) return FailErrno("make a socket");
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  std::memcpy(address.sun_path, endpoint.path.data(), endpoint.path.size());
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  int error = ConnectErrno(socket.get(), generic, sizeof(address), deadline);
  while (error == EAGAIN && std::chrono::steady_clock::now() < deadline) {
    // Too many wait already; unlike on TCP the kernel does not tell when there is room (unix(7)).
    ::poll(nullptr, 0, 10);
    error = ConnectErrno(socket.get(), generic, sizeof(address), deadline);
  }
  if (error != 0) return Unreachable(shown, error);
  return socket;
}

Result<FileDescriptor> ConnectTcp(const Endpoint& endpoint, const std::string& shown,
                                  Deadline deadline) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  if (const int code = ::getaddrinfo(endpoint.host.c_str(), endpoint.port.c_str(), &hints, &list);
      code != 0) {
    return Fail(ErrorCode::kUnavailable, fmt::format("{}: {}", shown, ::gai_strerror(code)));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> all(list, &::freeaddrinfo);
  int error = EHOSTUNREACH;
  for (const addrinfo* one = all.get(); one != nullptr; one = one->ai_next) {
    FileDescriptor socket(::socket(one->ai_family, kSocketFlags, 0));
    if (!socket) continue;
    error = ConnectErrno(socket.get(), one->ai_addr, one->ai_addrlen, deadline);
    if (error == 0) return socket;
  }
  return Unreachable(shown, error);
}

}  // namespace

Result<void> WaitFor(int socket, short events, Deadline deadline) {
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd waiting{socket, events, 0};
    const auto limit = std::clamp<std::int64_t>(left.count(), 0, 3'600'000);
    const int ready = ::poll(&waiting, 1, static_cast<int>(limit));
    if (ready > 0) return {};
    if (ready < 0 && errno != EINTR) return FailErrno("wait for the server");
    if (left.count() <= 0) {
      return Fail(ErrorCode::kDeadlineExceeded, "the server did not answer in time");
    }
  }
}

Result<ClientWire> ClientWire::Connect(const HttpTarget& target, Deadline deadline) {
  auto endpoint = ParseEndpoint(target.endpoint);
  if (!endpoint) return Fail(endpoint.error());
  const bool is_unix = endpoint->kind == Endpoint::Kind::kUnix;
  auto socket = is_unix ? ConnectUnix(*endpoint, target.endpoint, deadline)
                        : ConnectTcp(*endpoint, target.endpoint, deadline);
  if (!socket) return Fail(socket.error());
  ClientWire wire(std::move(*endpoint), std::move(*socket));
  if (wire.endpoint_.kind != Endpoint::Kind::kHttps) return wire;

  auto tls = ClientTls::Create(target, wire.endpoint_.host, wire.descriptor());
  if (!tls) return Fail(tls.error());
  wire.tls_ = std::move(*tls);
  for (;;) {
    const auto done = wire.tls_->Handshake();
    if (!done) return Fail(done.error().In(target.endpoint));
    if (*done) return wire;
    if (auto ready = WaitFor(wire.descriptor(), wire.tls_->Waits(), deadline); !ready) {
      return Fail(ready.error().In(target.endpoint));
    }
  }
}

Result<void> ClientWire::Send(std::string_view bytes, Deadline deadline) {
  while (!bytes.empty()) {
    short waits = POLLOUT;
    if (tls_) {
      const auto sent = tls_->Send(bytes);
      if (!sent) return Fail(sent.error());
      bytes.remove_prefix(sent->value_or(0));
      waits = tls_->Waits();
      if (*sent) continue;
    } else {
      const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
      if (sent > 0) continue;
      // The server may have said why before it stopped listening.
      if (errno == EPIPE || errno == ECONNRESET) return {};
      if (errno != EAGAIN && errno != EINTR) return FailErrno("send to the server");
    }
    if (auto ready = WaitFor(socket_.get(), waits, deadline); !ready) return ready;
  }
  return {};
}

Result<std::optional<std::string>> ClientWire::TryReceive() {
  if (tls_) return tls_->Receive();
  std::string bytes(65536, '\0');
  const ssize_t size = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
  if (size >= 0) {
    bytes.resize(static_cast<std::size_t>(size));
    return std::optional(std::move(bytes));
  }
  if (errno == EAGAIN || errno == EINTR) return std::optional<std::string>();
  return Fail(ErrorCode::kInternal,
              fmt::format("the server broke off: {}", std::generic_category().message(errno)));
}

Result<std::string> ClientWire::Receive(Deadline deadline) {
  for (;;) {
    auto bytes = TryReceive();
    if (!bytes) return Fail(bytes.error());
    if (*bytes) return std::move(**bytes);
    if (auto ready = WaitFor(socket_.get(), tls_ ? tls_->Waits() : POLLIN, deadline); !ready) {
      return Fail(ready.error());
    }
  }
}

}  // namespace jettison::http
