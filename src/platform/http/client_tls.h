#pragma once

#include <gnutls/gnutls.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "platform/http/client.h"
#include "units/result.h"

namespace jettison::http {

// The client's side of TLS on a socket that does not wait. TLS 1.2 or newer; the server's
// certificate must be for `host` and signed by a CA that is trusted.
class ClientTls {
 public:
  // `target` has the files; none may be missing, except that all may be empty.
  [[nodiscard]] static Result<std::unique_ptr<ClientTls>> Create(const HttpTarget& target,
                                                                 const std::string& host,
                                                                 int socket);
  ClientTls(const ClientTls&) = delete;
  ClientTls& operator=(const ClientTls&) = delete;
  ~ClientTls();

  // Each is absent where it has to be called again when the socket is ready for Waits().
  // Done once it returns true.
  [[nodiscard]] Result<std::optional<bool>> Handshake();
  // How many of the bytes went out.
  [[nodiscard]] Result<std::optional<std::size_t>> Send(std::string_view bytes);
  // Empty: the server has ended the connection.
  [[nodiscard]] Result<std::optional<std::string>> Receive();
  // What to wait for (poll(2)).
  [[nodiscard]] short Waits() const;

 private:
  ClientTls() = default;
  Result<void> Prepare(const HttpTarget& target, const std::string& host, int socket);

  gnutls_certificate_credentials_t credentials_ = nullptr;
  gnutls_session_t session_ = nullptr;
};

}  // namespace jettison::http
