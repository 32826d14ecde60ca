// How a server takes other certificates and tokens while it runs.
#include "platform/http/credentials.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <memory>
#include <mutex>
#include <utility>

#include "platform/http/core.h"

namespace jettison {

// The daemon is started here, so that nothing is left that could fail when it is to be used.
Result<void> HttpServer::Core::ReadCredentials(const HttpServerOptions& options) {
  auto fresh = std::make_unique<http::Credentials>();
  if (!options.bearer_token_file.empty()) {
    auto token = http::BearerToken::Read(options.bearer_token_file);
    if (!token) return Fail(token.error());
    fresh->token = std::move(*token);
  }
  if (parts_.tls && !options.tls_cert_file.empty()) {
    auto tls = http::ReadTlsFiles(options.tls_cert_file, options.tls_private_key_file,
                                  options.client_ca_file);
    if (!tls) return Fail(tls.error());
    fresh->tls = std::move(*tls);
    auto daemon = http::Daemon::Start(parts_.limits, &*fresh->tls, connections_, *this);
    if (!daemon) return Fail(daemon.error());
    fresh->daemon = std::move(*daemon);
    if (auto watched = Watch(fresh->daemon->descriptor(), EPOLLIN); !watched) return watched;
  }
  const std::lock_guard lock(credentials_mutex_);
  read_ = std::move(fresh);
  return {};
}

void HttpServer::Core::UseCredentials() {
  {
    const std::lock_guard lock(credentials_mutex_);
    wanted_ = std::move(read_);
  }
  ::eventfd_write(wake_.get(), 1);
}

// Connections that were made with the certificates before are cut: they hold no longer.
void HttpServer::Core::TakeCredentials() {
  std::unique_ptr<http::Credentials> fresh;
  {
    const std::lock_guard lock(credentials_mutex_);
    fresh = std::move(wanted_);
  }
  if (!fresh) return;
  if (fresh->token) parts_.access.SetToken(*std::move(fresh->token));
  if (!fresh->daemon) return;
  for (http::Connection* connection : connections_.All()) {
    if (connection->is_tls) Cut(*connection);
  }
  ResumeStreams();
  tls_->Run();
  tls_ = std::move(fresh->daemon);
  used_ = std::move(fresh);
}

}  // namespace jettison
