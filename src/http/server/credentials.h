#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "http/peers/bearer_token.h"
#include "http/server/daemon.h"
#include "http/server/server.h"
#include "http/tls_files.h"

namespace jettison::http {

// Certificates and a token that were read while a server runs, checked and ready to be used.
struct Credentials {
  std::optional<BearerToken> token;
  std::optional<TlsFiles> tls;
  std::unique_ptr<Daemon> daemon;  // that answers with them; null without TLS
};

// Reads the token and, if `with_tls`, the certificates that `options` names; there is no daemon
// yet.
[[nodiscard]] Result<std::unique_ptr<Credentials>> ReadCredentials(const HttpServerOptions& options,
                                                                   bool with_tls);

// Credentials on their way from whoever reads them to the server's thread.
class NextCredentials {
 public:
  // What was read last, of which nothing is used yet.
  void Put(std::unique_ptr<Credentials> read);
  // It is to be used.
  void Want();
  // What is to be used from now on; null: nothing new.
  [[nodiscard]] std::unique_ptr<Credentials> Take();

 private:
  std::mutex mutex_;
  std::unique_ptr<Credentials> read_;    // guarded by it
  std::unique_ptr<Credentials> wanted_;  // guarded by it
};

}  // namespace jettison::http
