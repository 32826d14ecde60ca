#pragma once

#include <string>

#include "core/thresholds/fields.h"

namespace jettison {

// Where the agent serves HTTP and who may ask: `http` of JettisonConfiguration. An empty text means
// none; the paths are absolute.
struct HttpConfig {
  std::string socket = "/run/jettison/jettison.sock";
  std::string socket_group;  // a name or a number
  std::string address;       // "127.0.0.1:10350", "[::1]:10350"
  std::string tls_cert_file;
  std::string tls_private_key_file;
  std::string client_ca_file;
  std::string bearer_token_file;
  // On loopback, without the two settings above: whether every user of the machine may ask, instead
  // of only those who have the token that the agent creates.
  bool allow_any_local_user = false;

  // Whether the agent creates its own token for TCP.
  [[nodiscard]] bool WantsOwnToken() const {
    return !address.empty() && bearer_token_file.empty() && client_ca_file.empty() &&
           !allow_any_local_user;
  }
};

// Returns `running` with the names that `read` has for the files of certificates and tokens. A file
// that only one of the two names is as in `running`, because to add or remove one needs a restart.
[[nodiscard]] HttpConfig WithFilesOf(HttpConfig running, const HttpConfig& read);

// Reads the members of `http` and checks them together; faults are added to `http`. An address that
// other machines can reach needs TLS, and client certificates or a token.
[[nodiscard]] HttpConfig ReadHttpConfiguration(const Fields& http);

}  // namespace jettison
