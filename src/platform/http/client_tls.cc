#include "platform/http/client_tls.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gnutls/x509.h>
#include <poll.h>

#include <array>

#include "platform/http/gnutls/library.h"

namespace jettison::http {
namespace {

tl::unexpected<Error> Unusable(std::string_view what, int code) {
  return Fail(ErrorCode::kInvalidArgument, fmt::format("{}: {}", what, gnutls_strerror(code)));
}

bool IsIpAddress(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> address{};
  return inet_pton(AF_INET, host.c_str(), address.data()) == 1 ||
         inet_pton(AF_INET6, host.c_str(), address.data()) == 1;
}

// Why the server is not believed to be who it should be.
std::string Distrust(gnutls_session_t session) {
  const unsigned status = gnutls_session_get_verify_cert_status(session);
  gnutls_datum_t words{};
  if (gnutls_certificate_verification_status_print(status, GNUTLS_CRT_X509, &words, 0) < 0) {
    return "its certificate is not trusted";
  }
  std::string text(reinterpret_cast<const char*>(words.data), words.size);
  gnutls_free(words.data);
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

Result<void> LoadCredentials(gnutls_certificate_credentials_t credentials,
                             const HttpTarget& target) {
  if (target.server_ca_file.empty()) {
    if (const int code = gnutls_certificate_set_x509_system_trust(credentials); code < 0) {
      return Unusable("read the CAs that the system trusts", code);
    }
  } else if (const int count = gnutls_certificate_set_x509_trust_file(
                 credentials, target.server_ca_file.c_str(), GNUTLS_X509_FMT_PEM);
             count <= 0) {
    return Unusable("read the CA in " + target.server_ca_file,
                    count < 0 ? count : GNUTLS_E_NO_CERTIFICATE_FOUND);
  }
  if (target.cert_file.empty()) return {};
  if (const int code = gnutls_certificate_set_x509_key_file(credentials, target.cert_file.c_str(),
                                                            target.private_key_file.c_str(),
                                                            GNUTLS_X509_FMT_PEM);
      code < 0) {
    return Unusable(fmt::format("use the client certificate in {} with the key in {}",
                                target.cert_file, target.private_key_file),
                    code);
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<ClientTls>> ClientTls::Create(const HttpTarget& target,
                                                     const std::string& host, int socket) {
  if (auto loaded = LoadGnutls(); !loaded) return Fail(loaded.error());
  std::unique_ptr<ClientTls> tls(new ClientTls());
  if (auto prepared = tls->Prepare(target, host, socket); !prepared) return Fail(prepared.error());
  return tls;
}

Result<void> ClientTls::Prepare(const HttpTarget& target, const std::string& host, int socket) {
  if (const int code = gnutls_certificate_allocate_credentials(&credentials_); code < 0) {
    return Unusable("prepare TLS", code);
  }
  if (auto loaded = LoadCredentials(credentials_, target); !loaded) return loaded;
  if (const int code = gnutls_init(&session_, GNUTLS_CLIENT | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL);
      code < 0) {
    return Unusable("prepare TLS", code);
  }
  gnutls_priority_set_direct(session_, "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2", nullptr);
  gnutls_credentials_set(session_, GNUTLS_CRD_CERTIFICATE, credentials_);
  if (!IsIpAddress(host)) {
    gnutls_server_name_set(session_, GNUTLS_NAME_DNS, host.data(), host.size());
  }
  gnutls_session_set_verify_cert(session_, host.c_str(), 0);
  gnutls_transport_set_int(session_, socket);
  return {};
}

ClientTls::~ClientTls() {
  if (session_ != nullptr) {
    gnutls_bye(session_, GNUTLS_SHUT_WR);
    gnutls_deinit(session_);
  }
  if (credentials_ != nullptr) gnutls_certificate_free_credentials(credentials_);
}

short ClientTls::Waits() const {
  return gnutls_record_get_direction(session_) == 0 ? POLLIN : POLLOUT;
}

Result<std::optional<bool>> ClientTls::Handshake() {
  const int code = gnutls_handshake(session_);
  if (code == GNUTLS_E_SUCCESS) return std::optional(true);
  if (gnutls_error_is_fatal(code) == 0) return std::optional<bool>();
  if (code == GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR) {
    return Fail(ErrorCode::kPermissionDenied,
                fmt::format("the server is not who it should be: {}", Distrust(session_)));
  }
  return Fail(ErrorCode::kUnavailable, fmt::format("TLS failed: {}", gnutls_strerror(code)));
}

Result<std::optional<std::size_t>> ClientTls::Send(std::string_view bytes) {
  const ssize_t size = gnutls_record_send(session_, bytes.data(), bytes.size());
  if (size >= 0) return std::optional(static_cast<std::size_t>(size));
  if (gnutls_error_is_fatal(static_cast<int>(size)) == 0) return std::optional<std::size_t>();
  return Fail(ErrorCode::kUnavailable,
              fmt::format("the server broke off: {}", gnutls_strerror(static_cast<int>(size))));
}

Result<std::optional<std::string>> ClientTls::Receive() {
  std::string bytes(16384, '\0');
  const ssize_t size = gnutls_record_recv(session_, bytes.data(), bytes.size());
  if (size >= 0) {
    bytes.resize(static_cast<std::size_t>(size));
    return std::optional(std::move(bytes));
  }
  // Many servers close without a word of farewell.
  if (size == GNUTLS_E_PREMATURE_TERMINATION) return std::optional(std::string());
  if (gnutls_error_is_fatal(static_cast<int>(size)) == 0) return std::optional<std::string>();
  // With TLS 1.3 a server says no to a certificate only after the handshake.
  const bool is_alert = size == GNUTLS_E_FATAL_ALERT_RECEIVED;
  return Fail(ErrorCode::kUnavailable,
              fmt::format("the server broke off: {}",
                          is_alert ? gnutls_alert_get_name(gnutls_alert_get(session_))
                                   : gnutls_strerror(static_cast<int>(size))));
}

}  // namespace jettison::http
