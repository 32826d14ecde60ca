#include "http/server/server.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>
#include <vector>

namespace jettison {

using std::chrono::steady_clock;

namespace {

constexpr std::string_view kServe = "serve HTTP";  // what fails
// While there are connections: between two looks at their deadlines, and at streams that had
// nothing to send.
constexpr auto kTick = std::chrono::milliseconds(250);
// Before it is tried again to listen, and to take somebody in where there was no descriptor.
constexpr auto kListenPause = std::chrono::seconds(2);
constexpr auto kAcceptPause = std::chrono::seconds(1);
// So that a crowd keeps nobody waiting who is in.
constexpr int kAcceptedAtOnce = 16;

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

bool HasTls(const HttpConfig& config) {
  return !config.address.empty() && !config.tls_cert_file.empty();
}

// The certificates that are named; none where TLS is not configured.
Result<http::TlsFiles> ReadTls(const HttpConfig& config) {
  if (!HasTls(config)) return http::TlsFiles{};
  return http::ReadTlsFiles(config.tls_cert_file, config.tls_private_key_file,
                            config.client_ca_file);
}

Result<void> CheckToken(const HttpConfig& config) {
  if (config.bearer_token_file.empty()) return {};
  return http::ReadToken(config.bearer_token_file).map([](const std::string&) {});
}

}  // namespace

HttpServer::HttpServer(const HttpConfig& config, HttpHandler handler, HttpErrorAnswer error_answer,
                       const HttpLimits& limits, std::string_view token_folder)
    : access_{.config = config,
              .own_token_file =
                  config.WantsOwnToken() ? http::OwnTokenFile(config.address, token_folder) : ""},
      limits_(limits),
      handler_(std::move(handler)),
      error_answer_(std::move(error_answer)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

HttpServer::~HttpServer() {
  for (auto& [descriptor, connection] : connections_) Cut(connection);
  RunDaemons();
  StopListening();
}

void HttpServer::StopListening() {
  // The files go before their addresses are free for another agent, which makes its own.
  const auto remove = [](const std::string& path, ino_t inode) {
    if (inode != 0 && http::InodeOf(path) == inode) ::unlink(path.c_str());
  };
  remove(access_.config.socket, std::exchange(socket_inode_, 0));
  remove(access_.own_token_file, std::exchange(own_token_inode_, 0));
  unix_ = {};
  tcp_ = {};
}

Result<void> HttpServer::Listen() {
  const HttpConfig& config = access_.config;
  Result<void> listens;
  if (!config.address.empty()) listens = ListenOnTcp();
  if (listens && !config.socket.empty()) {
    listens = ListenOnUnix();
  }
  if (listens) return {};
  StopListening();
  return Fail(listens.error().In(kServe));
}

Result<void> HttpServer::ListenOnUnix() {
  auto socket = http::ListenAt(access_.config.socket, access_.config.socket_group);
  if (!socket) return Fail(socket.error());
  unix_.socket = *std::move(socket);
  socket_inode_ = http::InodeOf(access_.config.socket);
  auto daemon = StartDaemon({});
  if (!daemon) return Fail(daemon.error());
  unix_.daemon = *std::move(daemon);
  return {};
}

Result<void> HttpServer::ListenOnTcp() {
  const HttpConfig& config = access_.config;
  const auto address = ParseTcpAddress(config.address);
  if (!address) {
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("{} is not an IP address with a port, such as 127.0.0.1:10350 or [::1]:10350",
                    config.address));
  }
  const bool is_guarded =
      HasTls(config) && !(config.client_ca_file.empty() && config.bearer_token_file.empty());
  if (!address->is_loopback && !is_guarded) {
    return Fail(ErrorCode::kInvalidArgument,
                config.address + " needs TLS, and clients must say who they are");
  }
  auto socket = http::ListenOn(*address);
  if (!socket) return Fail(socket.error());
  tcp_.socket = *std::move(socket);
  if (auto usable = CheckToken(config); !usable) return usable;
  // The token of an agent that has the address already stays.
  if (!access_.own_token_file.empty()) {
    if (auto made = http::MakeOwnToken(access_.own_token_file); !made) return made;
    own_token_inode_ = http::InodeOf(access_.own_token_file);
  }
  auto files = ReadTls(config);
  if (!files) return Fail(files.error());
  auto daemon = StartDaemon(*files);
  if (!daemon) return Fail(daemon.error());
  tcp_.daemon = *std::move(daemon);
  tls_ = *std::move(files);
  return {};
}

Result<HttpServer::Daemon> HttpServer::StartDaemon(const http::TlsFiles& tls) {
  std::vector<MHD_OptionItem> tls_options;
  unsigned flags = MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME;
  const auto add = [&](MHD_OPTION option, const char* text) {
    tls_options.push_back({option, 0, const_cast<char*>(text)});
  };
  if (!tls.certificate.empty()) {  // its texts are read here and now
    flags |= MHD_USE_TLS;
    add(MHD_OPTION_HTTPS_MEM_CERT, tls.certificate.c_str());
    add(MHD_OPTION_HTTPS_MEM_KEY, tls.private_key.c_str());
    add(MHD_OPTION_HTTPS_PRIORITIES, "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2");
    if (!tls.client_ca.empty()) add(MHD_OPTION_HTTPS_MEM_TRUST, tls.client_ca.c_str());
  }
  tls_options.push_back({MHD_OPTION_END, 0, nullptr});
  // Cut connections leave in the next run; until then they count for it, not for us.
  const auto most = static_cast<unsigned>(2 * limits_.connections);
  Daemon daemon(MHD_start_daemon(flags, 0, nullptr, nullptr, &OnRequest, this,
                                 MHD_OPTION_CONNECTION_MEMORY_LIMIT, limits_.connection_bytes,
                                 MHD_OPTION_CONNECTION_LIMIT, most, MHD_OPTION_NOTIFY_COMPLETED,
                                 &OnAnswered, this, MHD_OPTION_NOTIFY_CONNECTION, &OnConnection,
                                 this, MHD_OPTION_ARRAY, tls_options.data(), MHD_OPTION_END));
  if (daemon) return daemon;
  return Fail(ErrorCode::kUnavailable, "libmicrohttpd does not start: too few file descriptors?");
}

void HttpServer::Serve(const std::function<void(const Result<void>&)>& on_listen) {
  auto next_listen = steady_clock::now() + kListenPause;
  while (!stop_) {
    Turn();
    if (unix_.daemon || tcp_.daemon || steady_clock::now() < next_listen) continue;
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
  const int unix_socket = may_accept ? unix_.socket.get() : -1;
  const int tcp_socket = may_accept ? tcp_.socket.get() : -1;
  std::array<pollfd, 5> watched = {{{wake_.get(), POLLIN, 0},
                                    {unix_socket, POLLIN, 0},
                                    {tcp_socket, POLLIN, 0},
                                    {DescriptorOf(unix_.daemon.get()), POLLIN, 0},
                                    {DescriptorOf(tcp_.daemon.get()), POLLIN, 0}}};
  const bool may_sleep = unix_.daemon || tcp_.daemon;
  const bool is_idle = may_sleep && may_accept && connections_.empty() && wake_;
  int most = is_idle ? -1 : static_cast<int>(kTick.count());
  if (HasWork(unix_.daemon.get()) || HasWork(tcp_.daemon.get())) most = 0;
  ::poll(watched.data(), watched.size(), most);
  TakeCredentials();
  if (watched[1].revents != 0) Accept(unix_);
  if (watched[2].revents != 0) Accept(tcp_);
  eventfd_t ignored = 0;
  const auto now = steady_clock::now();
  if (::eventfd_read(wake_.get(), &ignored) == 0 || now >= next_ask_) {
    next_ask_ = now + kTick;
    for (auto& [descriptor, connection] : connections_) Resume(connection);
  }
  RunDaemons();
  for (auto& [descriptor, connection] : connections_) {
    const bool is_overdue = connection.deadline <= steady_clock::now();
    if (is_overdue && connection.suspended == nullptr && !connection.is_cut) Cut(connection);
  }
}

void HttpServer::RunDaemons() {
  if (unix_.daemon) MHD_run(unix_.daemon.get());
  if (tcp_.daemon) MHD_run(tcp_.daemon.get());
}

// Takes in the clients that wait. Without a descriptor to spare the socket would be ready again and
// again.
void HttpServer::Accept(const Listener& listener) {
  for (int i = 0; i < kAcceptedAtOnce; ++i) {
    sockaddr_storage address{};
    socklen_t size = sizeof(address);
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    FileDescriptor client(
        ::accept4(listener.socket.get(), generic, &size, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!client) {
      if (errno == EMFILE || errno == ENFILE) next_accept_ = steady_clock::now() + kAcceptPause;
      return;
    }
    // It closes the descriptor in any case.
    MHD_add_connection(listener.daemon.get(), client.Release(), generic, size);
    MHD_run(listener.daemon.get());
  }
}

std::size_t HttpServer::Open() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(connections_, [](const auto& each) { return !each.second.is_cut; }));
}

// Before one more is taken in. Where there are too many, the one that has had no whole request for
// longest has to go. Where all are being answered, the request of the new one is refused.
void HttpServer::MakeRoom() {
  if (Open() < limits_.connections) return;
  Connection* oldest = nullptr;
  for (auto& [descriptor, connection] : connections_) {
    if (connection.is_cut || connection.is_answering) continue;
    if (oldest == nullptr || connection.since < oldest->since) oldest = &connection;
  }
  if (oldest != nullptr) Cut(*oldest);
}

void HttpServer::Cut(Connection& connection) {
  connection.is_cut = true;
  ::shutdown(connection.descriptor, SHUT_RDWR);
  Resume(connection);
}

Result<std::function<void()>> HttpServer::ReadCredentials(const HttpConfig& config) {
  if (auto usable = CheckToken(config); !usable) return Fail(usable.error().In(kServe));
  auto read = ReadTls(config);
  if (!read) return Fail(read.error().In(kServe));
  auto next = std::make_shared<Credentials>();
  if (HasTls(config)) {
    auto daemon = StartDaemon(*read);
    if (!daemon) return Fail(daemon.error().In(kServe));
    *next = {.tls = *std::move(read), .daemon = *std::move(daemon)};
  }
  return [this, next] {
    {
      const std::lock_guard lock(mutex_);
      next_ = next;
    }
    WakeStreams();
  };
}

// Whoever is connected with other certificates than those is cut.
void HttpServer::TakeCredentials() {
  std::shared_ptr<Credentials> next;
  {
    const std::lock_guard lock(mutex_);
    next = std::exchange(next_, nullptr);
  }
  if (!next || !next->daemon || !tcp_.daemon || next->tls == tls_) return;
  for (auto& [descriptor, connection] : connections_) {
    if (!connection.is_unix) Cut(connection);
  }
  RunDaemons();
  tcp_.daemon = std::move(next->daemon);
  tls_ = std::move(next->tls);
}

}  // namespace jettison
