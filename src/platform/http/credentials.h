#pragma once

#include <memory>
#include <optional>

#include "platform/http/bearer_token.h"
#include "platform/http/daemon.h"
#include "platform/http/tls_files.h"

namespace jettison::http {

// Certificates and a token that were read while a server runs, checked and ready to be used.
struct Credentials {
  std::optional<BearerToken> token;
  std::optional<TlsFiles> tls;
  std::unique_ptr<Daemon> daemon;  // that answers with them; null without TLS
};

}  // namespace jettison::http
