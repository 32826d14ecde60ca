#include "http/server/server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace jettison {

using std::chrono::steady_clock;

namespace {

constexpr std::string_view kServe = "serve HTTP";  // what fails
// While there are connections: between two looks at their deadlines, and at streams that had
// nothing to send.
constexpr auto kTick = std::chrono::milliseconds(250);
// Before it is tried again to listen.
constexpr auto kListenPause = std::chrono::seconds(2);

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
  unix_.reset();
  tcp_.reset();
  tcp_socket_.Close();
}

Result<void> HttpServer::Listen() {
  const HttpConfig& config = access_.config;
  Result<void> listens;
  if (!config.address.empty()) listens = ListenOnTcp();
  if (listens && !config.socket.empty()) {
    auto daemon =
        http::ListenAt(config.socket, config.socket_group).and_then([this](FileDescriptor&& made) {
          socket_inode_ = http::InodeOf(access_.config.socket);
          return StartDaemon(std::move(made), nullptr);
        });
    listens = daemon.map([this](Daemon& started) { unix_ = std::move(started); });
  }
  if (listens) return {};
  StopListening();
  return Fail(listens.error().In(kServe));
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
  tcp_socket_ = *std::move(socket);
  if (auto usable = CheckToken(config); !usable) return usable;
  // The token of an agent that has the address already stays.
  if (!access_.own_token_file.empty()) {
    if (auto made = http::MakeOwnToken(access_.own_token_file); !made) return made;
    own_token_inode_ = http::InodeOf(access_.own_token_file);
  }
  return StartTcp();
}

Result<void> HttpServer::StartTcp() {
  auto files = ReadTls(access_.config);
  if (!files) return Fail(files.error());
  if (tcp_ && *files == tls_) return {};
  auto daemon = StartDaemon(FileDescriptor(::fcntl(tcp_socket_.get(), F_DUPFD_CLOEXEC, 0)),
                            HasTls(access_.config) ? &*files : nullptr);
  if (!daemon) return Fail(daemon.error());
  // The one before takes in nobody any more, who would be cut.
  if (tcp_) FileDescriptor(MHD_quiesce_daemon(tcp_.get())).Close();
  for (auto& [descriptor, connection] : connections_) {
    if (!connection.is_unix) Cut(connection);
  }
  RunDaemons();
  tcp_ = *std::move(daemon);
  tls_ = *std::move(files);
  return {};
}

Result<HttpServer::Daemon> HttpServer::StartDaemon(FileDescriptor listening,
                                                   const http::TlsFiles* tls) {
  std::vector<MHD_OptionItem> tls_options;
  unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME;
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
  // Cut connections leave in the next run; until then they count for it, not for us.
  const auto most = static_cast<unsigned>(2 * limits_.connections);
  const int socket = listening.Release();
  struct stat given {};
  struct stat left {};
  ::fstat(socket, &given);
  Daemon daemon(MHD_start_daemon(
      flags, 0, nullptr, nullptr, &OnRequest, this, MHD_OPTION_LISTEN_SOCKET, socket,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, limits_.connection_bytes, MHD_OPTION_CONNECTION_LIMIT,
      most, MHD_OPTION_NOTIFY_COMPLETED, &OnAnswered, this, MHD_OPTION_NOTIFY_CONNECTION,
      &OnConnection, this, MHD_OPTION_ARRAY, tls_options.data(), MHD_OPTION_END));
  if (daemon) return daemon;
  // Where it does not start, libmicrohttpd 0.9.75 closes the socket in some cases only.
  if (::fstat(socket, &left) == 0 && left.st_ino == given.st_ino) ::close(socket);
  return Fail(ErrorCode::kUnavailable, "libmicrohttpd does not start: too few file descriptors?");
}

void HttpServer::Serve(const std::function<void(const Result<void>&)>& on_listen) {
  auto next_listen = steady_clock::now() + kListenPause;
  while (!stop_) {
    Turn();
    if (unix_ || tcp_ || steady_clock::now() < next_listen) continue;
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
  std::array<pollfd, 3> watched = {{{wake_.get(), POLLIN, 0},
                                    {DescriptorOf(unix_.get()), POLLIN, 0},
                                    {DescriptorOf(tcp_.get()), POLLIN, 0}}};
  const bool may_sleep = (unix_ || tcp_) && connections_.empty() && wake_;
  int most = may_sleep ? -1 : static_cast<int>(kTick.count());
  if (HasWork(unix_.get()) || HasWork(tcp_.get())) most = 0;
  ::poll(watched.data(), watched.size(), most);
  TakeCredentials();
  eventfd_t ignored = 0;
  const auto now = steady_clock::now();
  if (::eventfd_read(wake_.get(), &ignored) == 0 || now >= next_ask_) {
    next_ask_ = now + kTick;
    for (auto& [descriptor, connection] : connections_) Resume(connection);
  }
  RunDaemons();
  // Without a descriptor for the client who waits, it would be tried again and again.
  if (may_sleep && most < 0 && connections_.empty()) ::poll(nullptr, 0, 10);
  for (auto& [descriptor, connection] : connections_) {
    const bool is_overdue = connection.deadline <= steady_clock::now();
    if (is_overdue && connection.suspended == nullptr && !connection.is_cut) Cut(connection);
  }
}

void HttpServer::RunDaemons() {
  if (unix_) MHD_run(unix_.get());
  if (tcp_) MHD_run(tcp_.get());
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
  if (auto usable = ReadTls(config); !usable) return Fail(usable.error().In(kServe));
  return [this] {
    has_news_ = true;
    WakeStreams();
  };
}

void HttpServer::TakeCredentials() {
  if (!has_news_.exchange(false)) return;
  // Where their files have changed since they were looked at, or there is no descriptor, those
  // before stay in use.
  if (tcp_ && HasTls(access_.config)) (void)StartTcp();
}

}  // namespace jettison
