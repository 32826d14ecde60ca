#include "http/server/credentials.h"

#include <utility>

namespace jettison::http {

Result<std::unique_ptr<Credentials>> ReadCredentials(const HttpServerOptions& options,
                                                     bool with_tls) {
  auto fresh = std::make_unique<Credentials>();
  if (!options.bearer_token_file.empty()) {
    auto token = BearerToken::Read(options.bearer_token_file);
    if (!token) return Fail(token.error());
    fresh->token = std::move(*token);
  }
  if (!with_tls || options.tls_cert_file.empty()) return fresh;
  auto tls =
      ReadTlsFiles(options.tls_cert_file, options.tls_private_key_file, options.client_ca_file);
  if (!tls) return Fail(tls.error());
  fresh->tls = std::move(*tls);
  return fresh;
}

void NextCredentials::Put(std::unique_ptr<Credentials> read) {
  const std::lock_guard lock(mutex_);
  read_ = std::move(read);
}

void NextCredentials::Want() {
  const std::lock_guard lock(mutex_);
  if (read_) wanted_ = std::move(read_);
}

std::unique_ptr<Credentials> NextCredentials::Take() {
  const std::lock_guard lock(mutex_);
  return std::move(wanted_);
}

}  // namespace jettison::http
