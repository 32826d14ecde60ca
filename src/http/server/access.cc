#include "http/server/access.h"

#include <arpa/inet.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

#include <array>
#include <string_view>

#include "http/server/header_of.h"

namespace jettison::http {
namespace {

// Whether the client showed a certificate that is meant for clients and that a trusted CA signed.
bool IsCertified(MHD_Connection* handle) {
  const MHD_ConnectionInfo* info =
      MHD_get_connection_info(handle, MHD_CONNECTION_INFO_GNUTLS_SESSION);
  if (info == nullptr || info->tls_session == nullptr) return false;
  auto* session = static_cast<gnutls_session_t>(info->tls_session);
  gnutls_typed_vdata_st purpose{};
  purpose.type = GNUTLS_DT_KEY_PURPOSE_OID;
  std::string oid = GNUTLS_KP_TLS_WWW_CLIENT;
  purpose.data = reinterpret_cast<unsigned char*>(oid.data());
  unsigned status = 0;
  return gnutls_certificate_verify_peers(session, &purpose, 1, &status) == 0 && status == 0;
}

std::string_view WithoutPort(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  const std::size_t bracket = host.rfind(']');
  const bool has_port =
      colon != std::string_view::npos && (bracket == std::string_view::npos || bracket < colon);
  return has_port ? host.substr(0, colon) : host;
}

}  // namespace

bool IsHostLocal(std::string_view host) {
  host = WithoutPort(host);
  if (host == "localhost") return true;
  std::array<unsigned char, sizeof(in6_addr)> address{};
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    const std::string v6(host.substr(1, host.size() - 2));
    return inet_pton(AF_INET6, v6.c_str(), address.data()) == 1;
  }
  return inet_pton(AF_INET, std::string(host).c_str(), address.data()) == 1;
}

bool IsHostOfSocket(std::string_view host) {
  return WithoutPort(host).find('.') == std::string_view::npos || IsHostLocal(host);
}

std::optional<Refusal> Access::RefusalOf(MHD_Connection* handle, Connection& connection) {
  if (connection.is_unix) {
    if (IsHostOfSocket(HeaderOf(handle, "Host").value_or(""))) return std::nullopt;
    return Refusal{
        403,
        "the Host of a request to the socket must be an IP address, localhost or another "
        "word without a dot"};
  }
  if (!token_ && !has_client_ca_) {
    if (IsHostLocal(HeaderOf(handle, "Host").value_or(""))) return std::nullopt;
    return Refusal{403, "the Host of a request to this address must be an IP address or localhost"};
  }
  if (has_client_ca_) {
    if (!connection.is_certified) connection.is_certified = IsCertified(handle);
    if (*connection.is_certified) return std::nullopt;
  }
  if (!token_) {
    return Refusal{401,
                   "a client certificate that one of the CAs in clientCAFile has signed is needed"};
  }
  if (token_->Matches(HeaderOf(handle, "Authorization").value_or(""))) return std::nullopt;
  return Refusal{401, WhatIsNeeded(), {"WWW-Authenticate", "Bearer realm=\"jettison\""}};
}

std::string Access::WhatIsNeeded() const {
  if (has_client_ca_) return "a trusted client certificate or the right bearer token is needed";
  if (own_token_file_.empty()) return "the right bearer token is needed";
  return "the bearer token that this agent made at its start is needed; root can read it in " +
         own_token_file_ + ", or use the unix socket";
}

}  // namespace jettison::http
