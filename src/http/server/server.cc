#include "http/server/server.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>
#include <vector>

namespace jettison {

using http::Connection;
using Phase = http::Connection::Phase;
using http::SteadyTime;
using std::chrono::steady_clock;

namespace {

constexpr std::string_view kServe = "serve HTTP";  // what fails
// While there are connections: between two looks at their deadlines, and at streams that had
// nothing to send.
constexpr auto kTick = std::chrono::milliseconds(250);
// Before clients are taken in again without descriptors to spare.
constexpr auto kAcceptPause = std::chrono::seconds(1);
// Before it is tried again to listen.
constexpr auto kListenPause = std::chrono::seconds(2);
// Clients taken in before the others are looked at again.
constexpr int kAcceptedAtOnce = 16;

// An answer where libmicrohttpd cannot send it; the connection ends then.
void SendLast(int socket, const HttpResponse& response) {
  const std::string text = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{}",
      response.status, MHD_get_reason_phrase_for(static_cast<unsigned>(response.status)),
      response.content_type, response.body.size(), response.body);
  (void)::send(socket, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

// Readable when the daemon has something to do; -1: there is no daemon.
int DescriptorOf(MHD_Daemon* daemon) {
  const MHD_DaemonInfo* info =
      daemon == nullptr ? nullptr : MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
  return info == nullptr ? -1 : info->epoll_fd;
}

// Whether it has something to do although the descriptor is not readable.
bool HasWork(MHD_Daemon* daemon) {
  MHD_UNSIGNED_LONG_LONG milliseconds = 0;
  return daemon != nullptr && MHD_get_timeout(daemon, &milliseconds) == MHD_YES &&
         milliseconds == 0;
}

}  // namespace

HttpServer::HttpServer(const HttpServerOptions& options, HttpHandler handler,
                       HttpErrorAnswer error_answer)
    : options_(options),
      handler_(std::move(handler)),
      error_answer_(std::move(error_answer)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      access_{.token_file = options.own_token_file.empty() ? options.bearer_token_file
                                                           : options.own_token_file,
              .has_client_ca = !options.client_ca_file.empty(),
              .is_own_token = !options.own_token_file.empty()} {}

HttpServer::~HttpServer() {
  StopListening();
  for (const auto& [descriptor, connection] : connections_) {
    connection->is_cut = true;
    Resume(*connection);
  }
  RunDaemons();
}

void HttpServer::StopListening() {
  // The files go before their addresses are free for another agent, which makes its own.
  const auto remove = [](const std::string& path, ino_t inode) {
    if (inode != 0 && http::InodeOf(path) == inode) ::unlink(path.c_str());
  };
  remove(options_.socket_path, std::exchange(socket_inode_, 0));
  remove(options_.own_token_file, std::exchange(own_token_inode_, 0));
  unix_socket_.Close();
  tcp_socket_.Close();
}

Result<void> HttpServer::Listen() {
  Result<void> listens;
  if (!plain_) {
    auto plain = StartDaemon(nullptr);
    if (!plain) return Fail(plain.error().In(kServe));
    plain_ = *std::move(plain);
  }
  if (!options_.address.empty()) listens = ListenOnTcp();
  if (listens && !options_.socket_path.empty()) {
    auto socket = http::ListenAt(options_.socket_path, options_.socket_group);
    listens = socket.map([this](FileDescriptor& made) { unix_socket_ = std::move(made); });
    if (listens) socket_inode_ = http::InodeOf(options_.socket_path);
  }
  if (listens) return {};
  StopListening();
  return Fail(listens.error().In(kServe));
}

Result<void> HttpServer::ListenOnTcp() {
  const auto address = ParseTcpAddress(options_.address);
  if (!address) {
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("{} is not an IP address with a port, such as 127.0.0.1:10350 or [::1]:10350",
                    options_.address));
  }
  const bool is_guarded =
      has_tls() && !(options_.client_ca_file.empty() && options_.bearer_token_file.empty());
  if (!address->is_loopback && !is_guarded) {
    return Fail(ErrorCode::kInvalidArgument,
                options_.address + " needs TLS, and clients must say who they are");
  }
  auto socket = http::ListenOn(*address);
  if (!socket) return Fail(socket.error());
  tcp_socket_ = *std::move(socket);
  TakeCredentials();
  if (!has_credentials_ || (has_tls() && !tls_)) {
    auto read = Read(options_);
    if (!read) return Fail(read.error());
    Use(*std::move(read));
  }
  // The token of an agent that has the address already stays.
  if (!options_.own_token_file.empty()) {
    if (auto made = http::MakeOwnToken(options_.own_token_file); !made) return made;
    own_token_inode_ = http::InodeOf(options_.own_token_file);
  }
  return {};
}

Result<HttpServer::Daemon> HttpServer::StartDaemon(const http::TlsFiles* tls) {
  const HttpLimits& limits = options_.limits;
  std::vector<MHD_OptionItem> tls_options;
  unsigned flags = MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME;
  const auto add = [&](MHD_OPTION option, const char* text) {
    tls_options.push_back({option, 0, const_cast<char*>(text)});
  };
  if (tls != nullptr) {  // its texts are read here and now
    flags |= MHD_USE_TLS;
    add(MHD_OPTION_HTTPS_MEM_CERT, tls->certificate.c_str());
    add(MHD_OPTION_HTTPS_MEM_KEY, tls->private_key.c_str());
    add(MHD_OPTION_HTTPS_PRIORITIES, "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2");
    if (!tls->client_ca.empty()) add(MHD_OPTION_HTTPS_MEM_TRUST, tls->client_ca.c_str());
  }
  tls_options.push_back({MHD_OPTION_END, 0, nullptr});
  // A part is for headers and the rest for what is read and written; what passes for a head beyond
  // the limits is then ours to refuse.
  const std::size_t memory = std::max<std::size_t>(4 * limits.header_bytes, 32768);
  // Cut connections leave in the next run; until then they count for it, not for us.
  const auto most = static_cast<unsigned>(2 * limits.connections);
  Daemon daemon(MHD_start_daemon(
      flags, 0, nullptr, nullptr, &OnRequest, this, MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory,
      MHD_OPTION_CONNECTION_LIMIT, most, MHD_OPTION_URI_LOG_CALLBACK, &OnTarget, this,
      MHD_OPTION_NOTIFY_COMPLETED, &OnAnswered, this, MHD_OPTION_NOTIFY_CONNECTION, &OnConnection,
      this, MHD_OPTION_ARRAY, tls_options.data(), MHD_OPTION_END));
  if (daemon) return daemon;
  return Fail(ErrorCode::kUnavailable, "libmicrohttpd does not start: too few file descriptors?");
}

void HttpServer::Serve(const std::function<void(const Result<void>&)>& on_listen) {
  auto next_listen = steady_clock::now() + kListenPause;
  while (!stop_) {
    if (unix_socket_ || tcp_socket_) {
      Turn();
      continue;
    }
    pollfd woken{wake_.get(), POLLIN, 0};
    ::poll(&woken, 1, static_cast<int>(kTick.count()));
    eventfd_t ignored = 0;
    ::eventfd_read(wake_.get(), &ignored);
    if (steady_clock::now() < next_listen) continue;
    next_listen = steady_clock::now() + kListenPause;
    on_listen(Listen());
  }
  stop_ = false;
}

void HttpServer::WakeStreams() {
  ::eventfd_write(wake_.get(), 1);
}

void HttpServer::Stop() {
  stop_ = true;
  WakeStreams();
}

void HttpServer::Turn() {
  const bool may_accept = steady_clock::now() >= next_accept_;
  const int unix_socket = may_accept ? unix_socket_.get() : -1;
  const int tcp_socket = may_accept ? tcp_socket_.get() : -1;
  std::array<pollfd, 5> watched = {{{wake_.get(), POLLIN, 0},
                                    {unix_socket, POLLIN, 0},
                                    {tcp_socket, POLLIN, 0},
                                    {DescriptorOf(plain_.get()), POLLIN, 0},
                                    {DescriptorOf(tls_.get()), POLLIN, 0}}};
  const bool may_sleep = may_accept && connections_.empty() && wake_;
  int most = may_sleep ? -1 : static_cast<int>(kTick.count());
  if (HasWork(plain_.get()) || HasWork(tls_.get())) most = 0;
  ::poll(watched.data(), watched.size(), most);
  TakeCredentials();
  if (watched[1].revents != 0) Accept(unix_socket, true);
  if (watched[2].revents != 0) Accept(tcp_socket, false);
  eventfd_t ignored = 0;
  const SteadyTime now = steady_clock::now();
  if (::eventfd_read(wake_.get(), &ignored) == 0 || now >= next_ask_) {
    next_ask_ = now + kTick;
    for (const auto& [descriptor, connection] : connections_) Resume(*connection);
  }
  RunDaemons();
  for (const auto& [descriptor, connection] : connections_) {
    const bool is_overdue = connection->deadline <= steady_clock::now();
    if (is_overdue && connection->phase != Phase::kWaiting && !connection->is_cut) {
      Cut(*connection);
    }
  }
}

void HttpServer::RunDaemons() {
  if (plain_) MHD_run(plain_.get());
  if (tls_) MHD_run(tls_.get());
}

void HttpServer::Accept(int listener, bool is_unix) {
  for (int i = 0; i < kAcceptedAtOnce; ++i) {
    FileDescriptor socket(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) {
      // Without a descriptor to spare the listener would be ready again and again.
      if (errno == EMFILE || errno == ENFILE) next_accept_ = steady_clock::now() + kAcceptPause;
      return;
    }
    // Whoever connects after others are to be used is asked for those.
    TakeCredentials();
    if (HasRoom()) {
      Add(std::move(socket), is_unix);
    } else if (is_unix || !has_tls()) {
      SendLast(socket.get(), error_answer_(503, fmt::format("there are {} connections "
                                                            "already, which is the limit; "
                                                            "try again soon",
                                                            options_.limits.connections)));
      ::shutdown(socket.get(), SHUT_WR);
    }
  }
}

// Whether one more client may be taken in. Where there are too many, the one that has had no whole
// request for longest has to go.
bool HttpServer::HasRoom() {
  const std::size_t most = options_.limits.connections;
  if (connections_.size() < most) return true;
  Connection* oldest = nullptr;
  for (const auto& [descriptor, connection] : connections_) {
    if (connection->is_cut) continue;
    if (connection->phase != Phase::kReceiving && connection->phase != Phase::kIdle) continue;
    if (oldest == nullptr || connection->since < oldest->since) oldest = connection.get();
  }
  if (oldest != nullptr) Cut(*oldest);
  RunDaemons();
  return connections_.size() < most;
}

void HttpServer::Add(FileDescriptor socket, bool is_unix) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (::getpeername(socket.get(), generic, &size) != 0) return;
  if (!is_unix) {  // a machine that vanished without a word is noticed in the end
    const int on = 1;
    ::setsockopt(socket.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  }
  const bool is_tls = !is_unix && has_tls();
  const int descriptor = socket.Release();
  const SteadyTime now = steady_clock::now();
  connections_[descriptor] =
      std::make_unique<Connection>(Connection{.descriptor = descriptor,
                                              .is_unix = is_unix,
                                              .is_tls = is_tls,
                                              .since = now,
                                              .deadline = now + options_.limits.request});
  MHD_Daemon* const daemon = (is_tls ? tls_ : plain_).get();
  // What it sent already is read before the next one may push it out.
  if (MHD_add_connection(daemon, descriptor, generic, size) == MHD_YES) {
    MHD_run(daemon);
  } else {
    connections_.erase(descriptor);
  }
}

void HttpServer::Cut(Connection& connection) {
  if (connection.phase == Phase::kReceiving && !connection.is_tls && !connection.is_cut) {
    SendLast(connection.descriptor,
             error_answer_(408, fmt::format("the request was not complete within {}, or "
                                            "other clients needed the connection",
                                            FormatDuration(options_.limits.request))));
  }
  connection.is_cut = true;
  ::shutdown(connection.descriptor, SHUT_RDWR);
  Resume(connection);
}

Result<HttpServer::Credentials> HttpServer::Read(const HttpServerOptions& options) {
  Credentials read;
  if (!options.bearer_token_file.empty()) {
    const auto token = http::ReadToken(options.bearer_token_file);
    if (!token) return Fail(token.error());
    read.token_file = options.bearer_token_file;
  }
  if (has_tls() && !options.tls_cert_file.empty()) {
    auto files = http::ReadTlsFiles(options.tls_cert_file, options.tls_private_key_file,
                                    options.client_ca_file);
    if (!files) return Fail(files.error());
    // Nothing is left that could fail when they are to be used.
    auto daemon = StartDaemon(&*files);
    if (!daemon) return Fail(daemon.error());
    read.tls = *std::move(daemon);
  }
  return read;
}

Result<std::function<void()>> HttpServer::ReadCredentials(const HttpServerOptions& options) {
  auto read = Read(options);
  if (!read) return Fail(read.error().In(kServe));
  return [this, fresh = std::make_shared<Credentials>(*std::move(read))] {
    {
      const std::lock_guard lock(mutex_);
      wanted_ = std::move(*fresh);
    }
    WakeStreams();
  };
}

void HttpServer::TakeCredentials() {
  std::optional<Credentials> fresh;
  {
    const std::lock_guard lock(mutex_);
    fresh = std::exchange(wanted_, std::nullopt);
  }
  if (fresh) Use(*std::move(fresh));
}

void HttpServer::Use(Credentials credentials) {
  has_credentials_ = true;
  if (!credentials.token_file.empty()) access_.token_file = std::move(credentials.token_file);
  if (!credentials.tls) return;
  // Those that use the previous certificates, which are no longer valid.
  for (const auto& [descriptor, connection] : connections_) {
    if (connection->is_tls) Cut(*connection);
  }
  RunDaemons();
  tls_ = std::move(credentials.tls);
}

}  // namespace jettison
