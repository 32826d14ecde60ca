#include "http/server/clients.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <utility>

#include "http/peers/peer_name.h"
#include "http/server/answer.h"

namespace jettison::http {

using std::chrono::steady_clock;

namespace {

// Before a cut that did not help is tried again.
constexpr auto kClientPause = std::chrono::seconds(1);
// What GnuTLS keeps of a session.
constexpr std::size_t kTlsSession = std::size_t{32} << 10;

// A machine that vanished without a word is noticed in the end.
void PrepareTcp(int socket) {
  const int on = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

}  // namespace

Result<std::unique_ptr<Clients>> Clients::Start(const Parts& parts,
                                                const std::optional<TlsFiles>& tls) {
  std::unique_ptr<Clients> clients(new Clients(parts));
  auto plain = Daemon::Start(parts.limits, nullptr, parts.connections, parts.events);
  if (!plain) return Fail(plain.error());
  clients->plain_ = std::move(*plain);
  if (!tls) return clients;
  auto secured = Daemon::Start(parts.limits, &*tls, parts.connections, parts.events);
  if (!secured) return Fail(secured.error());
  clients->tls_ = std::move(*secured);
  return clients;
}

Clients::~Clients() {
  for (Connection* connection : parts_.connections.All()) connection->is_cut = true;
  parts_.streams.Resume();
  Run();
}

std::pair<int, int> Clients::descriptors() const {
  return {plain_->descriptor(), tls_ ? tls_->descriptor() : -1};
}

void Clients::Run() {
  if (plain_) plain_->Run();
  if (tls_) tls_->Run();
}

bool Clients::HaveWork() const {
  return plain_->HasWork() || (tls_ && tls_->HasWork());
}

void Clients::Add(FileDescriptor socket, bool is_unix) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (::getpeername(socket.get(), generic, &size) != 0) return;
  if (!is_unix) PrepareTcp(socket.get());
  const int descriptor = socket.Release();
  Daemon& daemon = !is_unix && tls_ ? *tls_ : *plain_;
  const bool is_tls = &daemon == tls_.get();
  parts_.connections.Add({.descriptor = descriptor,
                          .is_unix = is_unix,
                          .is_tls = is_tls,
                          .peer = is_unix ? "unix" : PeerName(address),
                          .share = ShareOfConnection(is_tls)},
                         steady_clock::now());
  if (!daemon.Add(descriptor, generic, size)) {
    parts_.connections.Remove(descriptor);
    return;
  }
  // What it sent already is read before the next one may push it out.
  daemon.Run();
}

Share Clients::ShareOfConnection(bool is_tls) {
  Share share(parts_.held.all);
  share.Count(Daemon::MemoryFor(parts_.limits) + (is_tls ? kTlsSession : 0));
  return share;
}

bool Clients::MakeRoom() {
  Connection* oldest = parts_.connections.OldestIncomplete();
  if (oldest == nullptr) return false;
  Cut(*oldest);
  Run();
  return !parts_.connections.IsFull();
}

void Clients::CutOverdue() {
  for (Connection* connection : parts_.connections.Overdue(steady_clock::now())) {
    Cut(*connection);
    connection->deadline = steady_clock::now() + kClientPause;
  }
}

void Clients::Cut(Connection& connection) {
  if (connection.phase == Phase::kReceiving && !connection.is_tls && !connection.is_cut) {
    const std::string words = WrittenOut(parts_.error_answer(
        408, fmt::format(
                 "the request was not complete within {}, or other clients needed the connection",
                 FormatDuration(parts_.limits.request))));
    (void)::send(connection.descriptor, words.data(), words.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  }
  connection.is_cut = true;
  ::shutdown(connection.descriptor, SHUT_RDWR);
  if (connection.phase == Phase::kWaiting) parts_.streams.Resume();
}

Result<void> Clients::PrepareTls(Credentials& fresh) const {
  auto daemon = Daemon::Start(parts_.limits, &*fresh.tls, parts_.connections, parts_.events);
  if (!daemon) return Fail(daemon.error());
  fresh.daemon = std::move(*daemon);
  return {};
}

void Clients::UseTls(std::unique_ptr<Credentials> fresh) {
  for (Connection* connection : parts_.connections.All()) {
    if (connection->is_tls) Cut(*connection);
  }
  parts_.streams.Resume();
  tls_->Run();
  tls_ = std::move(fresh->daemon);
  used_ = std::move(fresh);
}

}  // namespace jettison::http
