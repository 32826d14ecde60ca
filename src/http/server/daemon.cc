#include "http/server/daemon.h"

#include <algorithm>
#include <vector>

namespace jettison::http {
namespace {

// The Connection that TellConnection laid beside it; null where that was not known.
Connection* ConnectionOf(MHD_Connection* handle) {
  const MHD_ConnectionInfo* info =
      MHD_get_connection_info(handle, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info == nullptr ? nullptr : static_cast<Connection*>(info->socket_context);
}

}  // namespace

// libmicrohttpd uses a part for headers and the rest for what is read and written; what passes for
// a head beyond the limits is then ours to refuse.
std::size_t Daemon::MemoryFor(const HttpLimits& limits) {
  return std::max<std::size_t>(4 * limits.header_bytes, 32768);
}

Result<std::unique_ptr<Daemon>> Daemon::Start(const HttpLimits& limits, const TlsFiles* tls,
                                              const Connections& connections,
                                              DaemonEvents& events) {
  std::unique_ptr<Daemon> self(new Daemon(connections, events));
  std::vector<MHD_OptionItem> tls_options;
  const auto text = [](const std::string& pem) { return const_cast<char*>(pem.c_str()); };
  unsigned flags = MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME;
  if (tls != nullptr) {
    flags |= MHD_USE_TLS;
    tls_options.push_back({MHD_OPTION_HTTPS_MEM_CERT, 0, text(tls->certificate)});
    tls_options.push_back({MHD_OPTION_HTTPS_MEM_KEY, 0, text(tls->private_key)});
    static const std::string kVersions = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2";
    tls_options.push_back({MHD_OPTION_HTTPS_PRIORITIES, 0, text(kVersions)});
    if (!tls->client_ca.empty()) {
      tls_options.push_back({MHD_OPTION_HTTPS_MEM_TRUST, 0, text(tls->client_ca)});
    }
  }
  tls_options.push_back({MHD_OPTION_END, 0, nullptr});
  // Cut connections leave in the next Run; until then they count for it, not for us.
  const auto most = static_cast<unsigned>(2 * limits.connections);
  self->daemon_ = MHD_start_daemon(
      flags, 0, nullptr, nullptr, &TellRequest, self.get(), MHD_OPTION_CONNECTION_MEMORY_LIMIT,
      MemoryFor(limits), MHD_OPTION_CONNECTION_LIMIT, most, MHD_OPTION_URI_LOG_CALLBACK,
      &TellTarget, self.get(), MHD_OPTION_NOTIFY_COMPLETED, &TellAnswered, self.get(),
      MHD_OPTION_NOTIFY_CONNECTION, &TellConnection, self.get(), MHD_OPTION_ARRAY,
      tls_options.data(), MHD_OPTION_END);
  if (self->daemon_ == nullptr) {
    return Fail(ErrorCode::kInternal, "libmicrohttpd does not start: too few file descriptors?");
  }
  return self;
}

Daemon::~Daemon() {
  if (daemon_ != nullptr) MHD_stop_daemon(daemon_);
}

bool Daemon::Add(int socket, const sockaddr* address, socklen_t size) {
  return MHD_add_connection(daemon_, socket, address, size) == MHD_YES;
}

void Daemon::Run() {
  MHD_run(daemon_);
}

int Daemon::descriptor() const {
  const MHD_DaemonInfo* info = MHD_get_daemon_info(daemon_, MHD_DAEMON_INFO_EPOLL_FD);
  return info == nullptr ? -1 : info->epoll_fd;
}

bool Daemon::HasWork() const {
  MHD_UNSIGNED_LONG_LONG milliseconds = 0;
  return MHD_get_timeout(daemon_, &milliseconds) == MHD_YES && milliseconds == 0;
}

void* Daemon::TellTarget(void* self, const char* target, MHD_Connection* handle) {
  Connection* connection = ConnectionOf(handle);
  if (connection != nullptr) static_cast<Daemon*>(self)->events_.OnTarget(*connection, target);
  return nullptr;
}

MHD_Result Daemon::TellRequest(void* self, MHD_Connection* handle, const char* path,
                               const char* method, const char* version, const char* bytes,
                               size_t* size, void** /*seen*/) {
  Connection* connection = ConnectionOf(handle);
  if (connection == nullptr) return MHD_NO;
  const std::string_view part = *size == 0 ? std::string_view() : std::string_view(bytes, *size);
  *size = 0;
  return static_cast<Daemon*>(self)->events_.OnRequest(*connection, handle, path, method, version,
                                                       part)
             ? MHD_YES
             : MHD_NO;
}

void Daemon::TellAnswered(void* self, MHD_Connection* handle, void** /*seen*/,
                          MHD_RequestTerminationCode /*why*/) {
  Connection* connection = ConnectionOf(handle);
  if (connection != nullptr) static_cast<Daemon*>(self)->events_.OnAnswered(*connection);
}

void Daemon::TellConnection(void* self, MHD_Connection* handle, void** place,
                            MHD_ConnectionNotificationCode what) {
  auto* daemon = static_cast<Daemon*>(self);
  if (what == MHD_CONNECTION_NOTIFY_STARTED) {
    const MHD_ConnectionInfo* info =
        MHD_get_connection_info(handle, MHD_CONNECTION_INFO_CONNECTION_FD);
    *place = info == nullptr ? nullptr : daemon->connections_.Find(info->connect_fd);
    return;
  }
  if (*place == nullptr) return;
  daemon->events_.OnClosed(*static_cast<Connection*>(*place));
  *place = nullptr;
}

}  // namespace jettison::http
