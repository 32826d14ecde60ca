#include "http/server/listeners.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace jettison::http {

using std::chrono::steady_clock;

namespace {

// Before clients are taken in again without descriptors to spare.
constexpr auto kAcceptPause = std::chrono::seconds(1);
// Clients taken in before the others are looked at again.
constexpr int kAcceptedAtOnce = 16;

}  // namespace

Result<void> Listeners::Watch() {
  for (const int socket : sockets_) {
    if (socket < 0) continue;
    if (auto watched = poller_.Watch(socket, EPOLLIN); !watched) return watched;
  }
  return {};
}

Result<void> Listeners::ReplaceUnix(int unix_socket) {
  auto watched = poller_.Watch(unix_socket, is_listening_ ? EPOLLIN : 0U);
  if (watched) unix_socket_ = sockets_[0] = unix_socket;
  return watched;
}

bool Listeners::Has(int descriptor) const {
  return std::ranges::find(sockets_, descriptor) != sockets_.end();
}

void Listeners::Accept(int listener) {
  for (int i = 0; i < kAcceptedAtOnce && HasRoom(listener); ++i) {
    FileDescriptor socket(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) {
      if (errno == EMFILE || errno == ENFILE) {
        // Without a descriptor to spare the listener would be ready again and again.
        SetListening(false);
        pause_ = steady_clock::now() + kAcceptPause;
      }
      return;
    }
    clients_.Add(std::move(socket), listener == unix_socket_);
  }
}

bool Listeners::HasRoom(int listener) {
  if (!connections_.IsFull()) return true;
  pollfd somebody{listener, POLLIN, 0};
  if (::poll(&somebody, 1, 0) <= 0) return false;  // nobody has to go for nobody
  if (clients_.MakeRoom()) return true;
  SetListening(false);
  return false;
}

void Listeners::SetListening(bool listening) {
  is_listening_ = listening;
  for (const int socket : sockets_) {
    if (socket >= 0) poller_.Change(socket, listening ? EPOLLIN : 0U);
  }
}

void Listeners::GoOn() {
  if (is_listening_ || (pause_ && steady_clock::now() < *pause_)) return;
  pause_.reset();
  if (!connections_.IsFull() || connections_.OldestIncomplete() != nullptr) SetListening(true);
}

}  // namespace jettison::http
