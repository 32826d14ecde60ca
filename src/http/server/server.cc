#include "http/server/server.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "ports/system_error.h"

namespace jettison {

using http::Connection;
using http::Daemon;
using http::Phase;
using http::SteadyTime;
using std::chrono::steady_clock;

namespace {

constexpr std::string_view kServe = "serve HTTP";  // what fails
constexpr auto kBetweenLooksAtSocket = std::chrono::minutes(1);
// Before clients are taken in again without descriptors to spare.
constexpr auto kAcceptPause = std::chrono::seconds(1);
// Before a cut that did not help is tried again.
constexpr auto kCutPause = std::chrono::seconds(1);
// Clients taken in before the others are looked at again.
constexpr int kAcceptedAtOnce = 16;

// A machine that vanished without a word is noticed in the end.
void PrepareTcp(int socket) {
  const int on = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

// An answer where libmicrohttpd cannot send it; the connection ends then.
void SendLast(int socket, const HttpResponse& response) {
  const std::string text = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{}",
      response.status, MHD_get_reason_phrase_for(static_cast<unsigned>(response.status)),
      response.content_type, response.body.size(), response.body);
  (void)::send(socket, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

// Readable when the daemon has something to do; -1: there is none.
int DescriptorOf(const Daemon& daemon) {
  if (!daemon.handle) return -1;
  const MHD_DaemonInfo* info = MHD_get_daemon_info(daemon.handle.get(), MHD_DAEMON_INFO_EPOLL_FD);
  return info == nullptr ? -1 : info->epoll_fd;
}

// Whether there is something to do although the descriptor is not readable.
bool HasWork(const Daemon& daemon) {
  MHD_UNSIGNED_LONG_LONG milliseconds = 0;
  return daemon.handle && MHD_get_timeout(daemon.handle.get(), &milliseconds) == MHD_YES &&
         milliseconds == 0;
}

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::Open(const HttpServerOptions& options,
                                                     HttpHandler handler,
                                                     HttpErrorAnswer error_answer) {
  const auto fail = [](const Error& error) { return Fail(error.In(kServe)); };
  auto parts = http::PartsOf(options, std::move(handler), std::move(error_answer));
  if (!parts) return fail(parts.error());
  // Whatever fails from here on wants for descriptors or memory.
  const auto lacking = [&](const Error& error) {
    return fail({ErrorCode::kUnavailable, error.message});
  };
  FileDescriptor wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake) return lacking(SystemError(errno, "make an event loop"));
  std::unique_ptr<HttpServer> server(new HttpServer(*std::move(parts), std::move(wake)));
  auto plain = server->StartDaemon(std::nullopt);
  if (!plain) return lacking(plain.error());
  server->plain_ = *std::move(plain);
  if (!server->has_tls_) return server;
  auto tls = server->StartDaemon(std::move(server->parts_.tls));
  if (!tls) return lacking(tls.error());
  server->tls_ = *std::move(tls);
  return server;
}

HttpServer::HttpServer(http::Parts parts, FileDescriptor wake)
    : parts_(std::move(parts)),
      port_(parts_.tcp_socket ? http::PortOf(parts_.tcp_socket) : std::uint16_t{0}),
      has_tls_(parts_.tls.has_value()),
      wake_(std::move(wake)),
      answers_(parts_.options.limits, std::move(parts_.handler), std::move(parts_.error_answer),
               std::move(parts_.access)) {}

HttpServer::~HttpServer() {
  for (const auto& [descriptor, connection] : answers_.connections()) {
    connection->is_cut = true;
    answers_.Resume(*connection);
  }
  RunDaemons();
}

Result<Daemon> HttpServer::StartDaemon(std::optional<http::TlsFiles> tls) {
  const HttpLimits& limits = parts_.options.limits;
  Daemon daemon;
  std::vector<MHD_OptionItem> tls_options;
  const auto text = [](const std::string& pem) { return const_cast<char*>(pem.c_str()); };
  unsigned flags = MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME;
  if (tls) {
    daemon.tls = std::make_unique<http::TlsFiles>(*std::move(tls));
    flags |= MHD_USE_TLS;
    tls_options.push_back({MHD_OPTION_HTTPS_MEM_CERT, 0, text(daemon.tls->certificate)});
    tls_options.push_back({MHD_OPTION_HTTPS_MEM_KEY, 0, text(daemon.tls->private_key)});
    static const std::string kVersions = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2";
    tls_options.push_back({MHD_OPTION_HTTPS_PRIORITIES, 0, text(kVersions)});
    if (!daemon.tls->client_ca.empty()) {
      tls_options.push_back({MHD_OPTION_HTTPS_MEM_TRUST, 0, text(daemon.tls->client_ca)});
    }
  }
  tls_options.push_back({MHD_OPTION_END, 0, nullptr});
  // A part is for headers and the rest for what is read and written; what passes for a head beyond
  // the limits is then ours to refuse.
  const std::size_t memory = std::max<std::size_t>(4 * limits.header_bytes, 32768);
  // Cut connections leave in the next run; until then they count for it, not for us.
  const auto most = static_cast<unsigned>(2 * limits.connections);
  daemon.handle.reset(
      MHD_start_daemon(flags, 0, nullptr, nullptr, &http::Answers::TellRequest, &answers_,
                       MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory, MHD_OPTION_CONNECTION_LIMIT,
                       most, MHD_OPTION_URI_LOG_CALLBACK, &http::Answers::TellTarget, &answers_,
                       MHD_OPTION_NOTIFY_COMPLETED, &http::Answers::TellAnswered, &answers_,
                       MHD_OPTION_NOTIFY_CONNECTION, &http::Answers::TellConnection, &answers_,
                       MHD_OPTION_ARRAY, tls_options.data(), MHD_OPTION_END));
  if (daemon.handle) return daemon;
  return Fail(ErrorCode::kInternal, "libmicrohttpd does not start: too few file descriptors?");
}

void HttpServer::Serve() {
  while (!stop_) {
    Wait();
    AskStreams();
    TakeCredentials();
    RunDaemons();
    CutOverdue();
    LookAfterSocket();
  }
  stop_ = false;
}

void HttpServer::Wake() {
  ::eventfd_write(wake_.get(), 1);
}

void HttpServer::Stop() {
  stop_ = true;
  Wake();
}

void HttpServer::WakeStreams() {
  if (answers_.streams() > 0) Wake();
}

int HttpServer::MillisecondsToWait() const {
  if (HasWork(plain_) || HasWork(tls_)) return 0;
  const SteadyTime now = steady_clock::now();
  SteadyTime next = now + kBetweenLooksAtSocket;
  if (!parts_.options.socket_path.empty()) next = std::min(next, next_look_);
  if (next_accept_ > now) next = std::min(next, next_accept_);
  for (const auto& [descriptor, connection] : answers_.connections()) {
    if (connection->phase != Phase::kWaiting) {
      next = std::min(next, connection->deadline);
    } else if (parts_.options.ask_streams_every > Duration{0}) {
      next = std::min(next, next_ask_);
    }
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - now);
  return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
}

// Of the clients only the sockets of streams are watched here, for the client to go: a daemon does
// not look at a connection that is suspended.
void HttpServer::Wait() {
  const bool may_accept = steady_clock::now() >= next_accept_;
  const int unix_socket = may_accept ? parts_.unix_socket.descriptor.get() : -1;
  const int tcp_socket = may_accept ? parts_.tcp_socket.get() : -1;
  std::vector<pollfd> watched = {{wake_.get(), POLLIN, 0},
                                 {unix_socket, POLLIN, 0},
                                 {tcp_socket, POLLIN, 0},
                                 {DescriptorOf(plain_), POLLIN, 0},
                                 {DescriptorOf(tls_), POLLIN, 0}};
  const std::size_t others = watched.size();
  for (const auto& [descriptor, connection] : answers_.connections()) {
    if (connection->has_stream && !connection->is_cut) {
      watched.push_back({descriptor, POLLRDHUP, 0});
    }
  }
  if (::poll(watched.data(), watched.size(), MillisecondsToWait()) <= 0) return;
  if (watched[0].revents != 0) {
    eventfd_t ignored = 0;
    ::eventfd_read(wake_.get(), &ignored);
    answers_.ResumeAll();
  }
  for (std::size_t i = others; i < watched.size(); ++i) {
    if (watched[i].revents != 0) Cut(*answers_.connections().at(watched[i].fd));
  }
  if (watched[1].revents != 0) Accept(unix_socket, true);
  if (watched[2].revents != 0) Accept(tcp_socket, false);
}

void HttpServer::RunDaemons() {
  if (plain_.handle) MHD_run(plain_.handle.get());
  if (tls_.handle) MHD_run(tls_.handle.get());
}

void HttpServer::AskStreams() {
  if (parts_.options.ask_streams_every == Duration{0} || steady_clock::now() < next_ask_) return;
  next_ask_ = steady_clock::now() + parts_.options.ask_streams_every;
  answers_.ResumeAll();
}

void HttpServer::Accept(int listener, bool is_unix) {
  for (int i = 0; i < kAcceptedAtOnce; ++i) {
    FileDescriptor socket(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) {
      // Without a descriptor to spare the listener would be ready again and again.
      if (errno == EMFILE || errno == ENFILE) next_accept_ = steady_clock::now() + kAcceptPause;
      return;
    }
    if (HasRoom()) {
      Add(std::move(socket), is_unix);
    } else {
      TurnAway(socket.get(), !is_unix && has_tls_);
    }
  }
}

// Whether one more client may be taken in. Where there are too many, the one that has had no whole
// request for longest has to go.
bool HttpServer::HasRoom() {
  const std::size_t most = parts_.options.limits.connections;
  if (answers_.connections().size() < most) return true;
  Connection* oldest = nullptr;
  for (const auto& [descriptor, connection] : answers_.connections()) {
    if (connection->is_cut) continue;
    if (connection->phase != Phase::kReceiving && connection->phase != Phase::kIdle) continue;
    if (oldest == nullptr || connection->since < oldest->since) oldest = connection.get();
  }
  if (oldest != nullptr) Cut(*oldest);
  RunDaemons();
  return answers_.connections().size() < most;
}

void HttpServer::TurnAway(int socket, bool is_tls) {
  if (is_tls) return;
  SendLast(socket,
           answers_.ErrorAnswer(
               503, fmt::format("there are {} connections already, which is the limit; try again "
                                "soon",
                                parts_.options.limits.connections)));
  ::shutdown(socket, SHUT_WR);
}

void HttpServer::Add(FileDescriptor socket, bool is_unix) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (::getpeername(socket.get(), generic, &size) != 0) return;
  if (!is_unix) PrepareTcp(socket.get());
  const bool is_tls = !is_unix && has_tls_;
  const int descriptor = socket.Release();
  const SteadyTime now = steady_clock::now();
  answers_.connections()[descriptor] =
      std::make_unique<Connection>(Connection{.descriptor = descriptor,
                                              .is_unix = is_unix,
                                              .is_tls = is_tls,
                                              .peer = is_unix ? "unix" : http::PeerName(address),
                                              .since = now,
                                              .deadline = now + parts_.options.limits.request});
  MHD_Daemon* const daemon = (is_tls ? tls_ : plain_).handle.get();
  // What it sent already is read before the next one may push it out.
  if (MHD_add_connection(daemon, descriptor, generic, size) == MHD_YES) {
    MHD_run(daemon);
  } else {
    answers_.connections().erase(descriptor);
  }
}

void HttpServer::CutOverdue() {
  const SteadyTime now = steady_clock::now();
  for (const auto& [descriptor, connection] : answers_.connections()) {
    if (connection->phase == Phase::kWaiting || connection->deadline > now) continue;
    Cut(*connection);
    connection->deadline = now + kCutPause;
  }
}

void HttpServer::Cut(Connection& connection) {
  if (connection.phase == Phase::kReceiving && !connection.is_tls && !connection.is_cut) {
    SendLast(connection.descriptor,
             answers_.ErrorAnswer(408, fmt::format("the request was not complete within {}, or "
                                                   "other clients needed the connection",
                                                   FormatDuration(parts_.options.limits.request))));
  }
  connection.is_cut = true;
  ::shutdown(connection.descriptor, SHUT_RDWR);
  answers_.Resume(connection);
}

Result<void> HttpServer::ReadCredentials(const HttpServerOptions& options) {
  const auto fail = [](const Error& error) { return Fail(error.In(kServe)); };
  http::Credentials read;
  if (!options.bearer_token_file.empty()) {
    const auto token = http::ReadToken(options.bearer_token_file);
    if (!token) return fail(token.error());
    read.token_file = options.bearer_token_file;
  }
  if (has_tls_ && !options.tls_cert_file.empty()) {
    auto files = http::ReadTlsFiles(options.tls_cert_file, options.tls_private_key_file,
                                    options.client_ca_file);
    if (!files) return fail(files.error());
    // Nothing is left that could fail when they are to be used.
    auto daemon = StartDaemon(*std::move(files));
    if (!daemon) return fail(daemon.error());
    read.tls = *std::move(daemon);
  }
  const std::lock_guard lock(mutex_);
  read_ = std::move(read);
  return {};
}

void HttpServer::UseCredentials() {
  {
    const std::lock_guard lock(mutex_);
    if (read_) wanted_ = std::exchange(read_, std::nullopt);
  }
  Wake();
}

void HttpServer::TakeCredentials() {
  std::optional<http::Credentials> fresh;
  {
    const std::lock_guard lock(mutex_);
    fresh = std::exchange(wanted_, std::nullopt);
  }
  if (!fresh) return;
  next_look_ = {};
  if (!fresh->token_file.empty()) answers_.SetTokenFile(std::move(fresh->token_file));
  if (!fresh->tls) return;
  // Those that use the previous certificates, which are no longer valid.
  for (const auto& [descriptor, connection] : answers_.connections()) {
    if (connection->is_tls) Cut(*connection);
  }
  RunDaemons();
  tls_ = *std::move(fresh->tls);
}

// Somebody may have emptied its folder.
void HttpServer::LookAfterSocket() {
  const HttpServerOptions& options = parts_.options;
  if (options.socket_path.empty() || steady_clock::now() < next_look_) return;
  next_look_ = steady_clock::now() + kBetweenLooksAtSocket;
  if (parts_.unix_socket.file.IsThere()) return;
  auto made = http::ListenAt(options.socket_path, options.socket_group);
  if (options.on_socket && (made || !is_missing_)) {
    options.on_socket(made ? Result<void>() : Fail(made.error()));
  }
  is_missing_ = !made;
  if (made) parts_.unix_socket = *std::move(made);
}

}  // namespace jettison
