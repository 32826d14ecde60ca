#include "sources/kubernetes/test_bed/wire_server.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <optional>

#include "http/server/listen.h"

namespace jettison::kube {
namespace {

std::string Decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%' || i + 2 >= text.size()) {
      decoded += text[i];
      continue;
    }
    int code = 0;
    std::from_chars(text.data() + i + 1, text.data() + i + 3, code, 16);
    decoded += static_cast<char>(code);
    i += 2;
  }
  return decoded;
}

void ReadTarget(std::string_view target, WireRequest& request) {
  const std::size_t mark = target.find('?');
  request.path = Decoded(target.substr(0, mark));
  if (mark == std::string_view::npos) return;
  std::string_view rest = target.substr(mark + 1);
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    const std::size_t equals = std::min(pair.find('='), pair.size());
    request.query[std::string(pair.substr(0, equals))] =
        equals == pair.size() ? "" : Decoded(pair.substr(equals + 1));
  }
}

std::string HeaderIn(std::string_view head, std::string_view name) {
  for (std::size_t at = head.find("\r\n"); at < head.size(); at = head.find("\r\n", at + 2)) {
    const std::string_view line = head.substr(at + 2, head.find("\r\n", at + 2) - at - 2);
    if (line.size() <= name.size() || line[name.size()] != ':') continue;
    const auto same = [](char a, char b) { return std::tolower(a) == std::tolower(b); };
    if (!std::equal(name.begin(), name.end(), line.begin(), same)) continue;
    return std::string(line.substr(line.find_first_not_of(' ', name.size() + 1)));
  }
  return {};
}

// Whether another request came; the beginning of the one after it stays in `held`.
bool ReadRequest(int fd, std::string& held, WireRequest& request) {
  std::optional<std::size_t> whole;
  for (;;) {
    const std::size_t end = held.find("\r\n\r\n");
    if (end != std::string::npos && !whole) {
      const std::string head = held.substr(0, end);
      const std::size_t first = head.find(' ');
      request.method = head.substr(0, first);
      ReadTarget(std::string_view(head).substr(first + 1, head.find(' ', first + 1) - first - 1),
                 request);
      request.authorization = HeaderIn(head, "authorization");
      const std::string length = HeaderIn(head, "content-length");
      whole = end + 4 + (length.empty() ? 0 : std::stoul(length));
    }
    if (whole && held.size() >= *whole) {
      request.body = held.substr(end + 4, *whole - end - 4);
      held.erase(0, *whole);
      return true;
    }
    std::array<char, 16384> buffer;
    const ssize_t size = ::recv(fd, buffer.data(), buffer.size(), 0);
    if (size <= 0) return false;
    held.append(buffer.data(), static_cast<std::size_t>(size));
  }
}

// A socket that has the port of one that listens no more: who connects is refused.
FileDescriptor PortKept(int port) {
  FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  const sockaddr_in address{.sin_family = AF_INET,
                            .sin_port = htons(static_cast<std::uint16_t>(port)),
                            .sin_addr = {htonl(INADDR_LOOPBACK)},
                            .sin_zero = {}};
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    std::abort();
  }
  return socket;
}

}  // namespace

bool WireConnection::Send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool WireConnection::Answer(int status, std::string_view body, std::string_view extra) const {
  return Send(
      fmt::format("HTTP/1.1 {} X\r\nContent-Type: application/json\r\n"
                  "Content-Length: {}\r\n{}\r\n{}",
                  status, body.size(), extra, body));
}

bool WireConnection::SendChunk(std::string_view bytes) const {
  return Send(fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes));
}

void WireConnection::Cut() const {
  ::shutdown(socket_.get(), SHUT_RDWR);
}

bool WireServer::Start() {
  auto listening = http::ListenOn({.host = "127.0.0.1", .port = static_cast<std::uint16_t>(port_)});
  if (!listening) return false;
  listening_ = std::move(*listening);
  kept_port_.Close();
  port_ = http::PortOf(listening_);
  stopping_ = false;
  acceptor_ = std::thread([this] { Accept(); });
  return true;
}

void WireServer::Stop() {
  if (!acceptor_.joinable()) return;
  stopping_ = true;
  ::shutdown(listening_.get(), SHUT_RDWR);
  acceptor_.join();
  kept_port_ = PortKept(port_);
  listening_.Close();
  std::list<std::thread> threads;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& connection : connections_) connection->Cut();
    threads.swap(threads_);
  }
  for (std::thread& thread : threads) thread.join();
  const std::lock_guard lock(mutex_);
  connections_.clear();
}

void WireServer::Accept() {
  while (!stopping_) {
    pollfd waiting{.fd = listening_.get(), .events = POLLIN, .revents = 0};
    ::poll(&waiting, 1, -1);
    FileDescriptor socket(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket) return;
    const std::lock_guard lock(mutex_);
    const auto& connection =
        connections_.emplace_back(std::make_shared<WireConnection>(std::move(socket)));
    threads_.emplace_back([this, connection] { Serve(*connection); });
  }
}

void WireServer::Serve(const WireConnection& connection) {
  std::string held;
  for (;;) {
    WireRequest request;
    if (!ReadRequest(connection.fd(), held, request) || !handler_(request, connection)) break;
  }
  connection.Cut();
}

}  // namespace jettison::kube
