#include "tests/kubernetes/live_relay.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <utility>
#include <vector>

namespace jettison::kube {
namespace {

constexpr int kTurnMilliseconds = 20;

sockaddr_in Local(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

FileDescriptor NewSocket() {
  return FileDescriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

bool Move(int from, int to) {
  std::array<char, 65536> buffer;
  const ssize_t size = ::recv(from, buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (size <= 0) return false;
  return ::send(to, buffer.data(), static_cast<std::size_t>(size), MSG_NOSIGNAL) == size;
}

}  // namespace

LiveRelay::LiveRelay(std::uint16_t to) : to_(to), listener_(NewSocket()) {
  sockaddr_in address = Local(0);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener_.get(), any, size) == 0 && ::listen(listener_.get(), 16) == 0 &&
      ::getsockname(listener_.get(), any, &size) == 0) {
    port_ = ntohs(address.sin_port);
  }
  thread_ = std::thread([this] { Run(); });
}

LiveRelay::~LiveRelay() {
  ends_ = true;
  thread_.join();
}

void LiveRelay::Run() {
  while (!ends_) {
    std::vector<pollfd> waiting = {{.fd = listener_.get(), .events = POLLIN, .revents = 0}};
    for (const Pair& pair : pairs_) {
      if (pair.number <= silent_) continue;
      waiting.push_back({.fd = pair.client.get(), .events = POLLIN, .revents = 0});
      waiting.push_back({.fd = pair.server.get(), .events = POLLIN, .revents = 0});
    }
    ::poll(waiting.data(), waiting.size(), kTurnMilliseconds);
    std::erase_if(pairs_, [this](const Pair& pair) { return !Carry(pair); });
    if (waiting[0].revents != 0) Accept();
  }
}

void LiveRelay::Accept() {
  FileDescriptor client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  FileDescriptor server = NewSocket();
  sockaddr_in address = Local(to_);
  if (::connect(server.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return;
  pairs_.push_back(
      {.client = std::move(client), .server = std::move(server), .number = ++connections_});
}

bool LiveRelay::Carry(const Pair& pair) const {
  if (pair.number <= silent_) return true;
  const std::pair<int, int> ways[] = {{pair.client.get(), pair.server.get()},
                                      {pair.server.get(), pair.client.get()}};
  for (const auto& [from, to] : ways) {
    pollfd readable{.fd = from, .events = POLLIN, .revents = 0};
    if (::poll(&readable, 1, 0) == 1 && !Move(from, to)) return false;
  }
  return true;
}

}  // namespace jettison::kube
