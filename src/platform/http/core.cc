#include "platform/http/core.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "platform/http/answer.h"
#include "platform/http/peer_name.h"
#include "ports/system_error.h"

namespace jettison {

using http::Connection;
using http::Phase;
using std::chrono::steady_clock;

namespace {

// Before what did not help is tried again: a cut, taking a client in without descriptors to spare.
constexpr auto kPause = std::chrono::seconds(1);
// Clients taken in before the others are looked at again.
constexpr int kAcceptedAtOnce = 16;
// What GnuTLS keeps of a session.
constexpr std::size_t kTlsSession = std::size_t{32} << 10;

}  // namespace

Result<std::unique_ptr<HttpServer::Core>> HttpServer::Core::Start(http::Parts parts) {
  std::unique_ptr<Core> core(new Core(std::move(parts)));
  core->epoll_ = FileDescriptor(::epoll_create1(EPOLL_CLOEXEC));
  core->wake_ = FileDescriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!core->epoll_ || !core->wake_) return FailErrno("make an event loop");
  auto plain = http::Daemon::Start(core->parts_.limits, nullptr, core->connections_, *core);
  if (!plain) return Fail(plain.error());
  core->plain_ = std::move(*plain);
  if (core->parts_.tls) {
    auto tls =
        http::Daemon::Start(core->parts_.limits, &*core->parts_.tls, core->connections_, *core);
    if (!tls) return Fail(tls.error());
    core->tls_ = std::move(*tls);
  }
  if (core->parts_.tcp_socket) core->port_ = http::PortOf(core->parts_.tcp_socket);
  for (const int descriptor :
       {core->wake_.get(), core->plain_->descriptor(), core->tls_ ? core->tls_->descriptor() : -1,
        core->parts_.unix_socket.get(), core->parts_.tcp_socket.get()}) {
    if (descriptor < 0) continue;
    if (auto watched = core->Watch(descriptor, EPOLLIN); !watched) return Fail(watched.error());
  }
  return core;
}

HttpServer::Core::~Core() {
  for (Connection* connection : connections_.All()) connection->is_cut = true;
  ResumeStreams();
  RunDaemons();
  tls_.reset();
  plain_.reset();
}

Result<void> HttpServer::Core::Watch(int descriptor, std::uint32_t events) {
  epoll_event event{.events = events, .data = {.fd = descriptor}};
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) == 0) return {};
  return FailErrno("watch a socket");
}

void HttpServer::Core::Stop() {
  stop_ = true;
  ::eventfd_write(wake_.get(), 1);
}

void HttpServer::Core::WakeStreams() {
  if (waiting_streams_ > 0) ::eventfd_write(wake_.get(), 1);
}

void HttpServer::Core::Serve() {
  while (!stop_) {
    WaitForEvents();
    TakeCredentials();
    RunDaemons();
    CutOverdue();
    if (!is_listening_) ListenAgain();
  }
  stop_ = false;
}

void HttpServer::Core::ListenAgain() {
  if (pause_ && steady_clock::now() < *pause_) return;
  pause_.reset();
  if (!connections_.IsFull() || connections_.OldestIncomplete() != nullptr) SetListening(true);
}

void HttpServer::Core::WaitForEvents() {
  int milliseconds = -1;
  auto next = connections_.NextDeadline();
  if (pause_) next = next ? std::min(*next, *pause_) : *pause_;
  if (next) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*next - steady_clock::now());
    milliseconds = static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 3'600'000));
  }
  if (plain_->HasWork() || (tls_ && tls_->HasWork())) milliseconds = 0;
  std::array<epoll_event, 32> events{};
  const int count =
      ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), milliseconds);
  // New clients last: the descriptor of one that goes may become theirs.
  for (const bool is_for_new : {false, true}) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(std::max(count, 0)); ++i) {
      const int descriptor = events.at(i).data.fd;
      if (IsListener(descriptor) == is_for_new) OnEvent(descriptor);
    }
  }
}

bool HttpServer::Core::IsListener(int descriptor) const {
  return descriptor == parts_.unix_socket.get() || descriptor == parts_.tcp_socket.get();
}

void HttpServer::Core::OnEvent(int descriptor) {
  if (descriptor == wake_.get()) {
    eventfd_t ignored = 0;
    ::eventfd_read(wake_.get(), &ignored);
    ResumeStreams();
  } else if (IsListener(descriptor)) {
    Accept(descriptor);
  } else if (Connection* connection = connections_.Find(descriptor)) {
    Cut(*connection);  // only streams' sockets are watched, for the client to go
  }
}

void HttpServer::Core::RunDaemons() {
  if (plain_) plain_->Run();
  if (tls_) tls_->Run();
}

void HttpServer::Core::Accept(int listener) {
  for (int i = 0; i < kAcceptedAtOnce && HasRoom(listener); ++i) {
    FileDescriptor socket(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) {
      if (errno == EMFILE || errno == ENFILE) {
        // Without a descriptor to spare the listener would be ready again and again.
        SetListening(false);
        pause_ = steady_clock::now() + kPause;
      }
      return;
    }
    AddClient(listener, std::move(socket));
  }
}

void HttpServer::Core::AddClient(int listener, FileDescriptor socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (::getpeername(socket.get(), generic, &size) != 0) return;
  const bool is_unix = listener == parts_.unix_socket.get();
  if (!is_unix) {
    // A machine that vanished without a word is noticed in the end.
    const int on = 1;
    ::setsockopt(socket.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  }
  const int descriptor = socket.Release();
  http::Daemon& daemon = !is_unix && tls_ ? *tls_ : *plain_;
  connections_.Add({.descriptor = descriptor,
                    .is_unix = is_unix,
                    .is_tls = &daemon == tls_.get(),
                    .peer = is_unix ? "unix" : http::PeerName(address),
                    .share = ShareOfConnection(&daemon == tls_.get())},
                   steady_clock::now());
  if (!daemon.Add(descriptor, generic, size)) {
    connections_.Remove(descriptor);
    return;
  }
  // What it sent already is read before the next one may push it out.
  daemon.Run();
}

http::Share HttpServer::Core::ShareOfConnection(bool is_tls) {
  http::Share share(held_);
  share.Count(http::Daemon::MemoryFor(parts_.limits) + (is_tls ? kTlsSession : 0));
  return share;
}

bool HttpServer::Core::HasRoom(int listener) {
  if (!connections_.IsFull()) return true;
  pollfd somebody{listener, POLLIN, 0};
  if (::poll(&somebody, 1, 0) <= 0) return false;  // nobody has to go for nobody
  if (Connection* oldest = connections_.OldestIncomplete()) {
    Cut(*oldest);
    RunDaemons();
    if (!connections_.IsFull()) return true;
  }
  SetListening(false);
  return false;
}

void HttpServer::Core::SetListening(bool listening) {
  is_listening_ = listening;
  for (const int listener : {parts_.unix_socket.get(), parts_.tcp_socket.get()}) {
    if (listener < 0) continue;
    epoll_event event{.events = listening ? EPOLLIN : 0U, .data = {.fd = listener}};
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, listener, &event);
  }
}

void HttpServer::Core::CutOverdue() {
  for (Connection* connection : connections_.Overdue(steady_clock::now())) {
    Cut(*connection);
    connection->deadline = steady_clock::now() + kPause;
  }
}

void HttpServer::Core::Cut(Connection& connection) {
  if (connection.phase == Phase::kReceiving && !connection.is_tls && !connection.is_cut) {
    const std::string words = http::WrittenOut(parts_.error_answer(
        408, fmt::format("the request was not complete within {}, or others needed the place",
                         FormatDuration(parts_.limits.request))));
    (void)::send(connection.descriptor, words.data(), words.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  }
  connection.is_cut = true;
  ::shutdown(connection.descriptor, SHUT_RDWR);
  if (connection.phase == Phase::kWaiting) ResumeStreams();
}

}  // namespace jettison
