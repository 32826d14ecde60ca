#include "http/server/request.h"

#include <fmt/format.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <strings.h>

#include <string_view>
#include <utility>

#include "core/text/number.h"
#include "core/text/parts.h"
#include "core/units/http_url.h"
#include "http/server/listen.h"

namespace jettison::http {
namespace {

// A header of the request, its name in any case; none: it was not sent.
std::optional<std::string_view> HeaderOf(MHD_Connection* handle, const char* name) {
  const char* value = MHD_lookup_connection_value(handle, MHD_HEADER_KIND, name);
  if (value == nullptr) return std::nullopt;
  return value;
}

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

// Whether `authorization`, the value of that header, is "Bearer" and the token that the file has
// now; while it cannot be read, or has no token, nothing matches. How long it takes does not tell
// which part of the token was right.
bool HasToken(std::string_view authorization, const std::string& path) {
  constexpr std::string_view kScheme = "Bearer ";
  if (authorization.size() <= kScheme.size() ||
      ::strncasecmp(authorization.data(), kScheme.data(), kScheme.size()) != 0) {
    return false;
  }
  const auto token = ReadToken(path);
  if (!token) return false;
  const std::string_view given = Trimmed(authorization.substr(kScheme.size()));
  return given.size() == token->size() &&
         gnutls_memcmp(given.data(), token->data(), given.size()) == 0;
}

std::string_view WithoutPort(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  return colon == std::string_view::npos || host.ends_with(']') ? host : host.substr(0, colon);
}

// Whether a Host header names no host that is found by name: "127.0.0.1:80", "[::1]", "localhost".
bool IsHostLocal(std::string_view host) {
  host = WithoutPort(host);
  return host == "localhost" || ParseTcpAddress(fmt::format("{}:0", host));
}

// The same, or a word without a dot, which clients of a unix socket put there, or nothing.
bool IsHostOfSocket(std::string_view host) {
  return WithoutPort(host).find('.') == std::string_view::npos || IsHostLocal(host);
}

// Whether a page of another origin had its browser ask: an Origin that is not the Host's.
bool IsForeign(std::string_view origin, std::string_view host) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!origin.starts_with(scheme)) continue;
    const std::string_view named = origin.substr(scheme.size());
    return named.size() != host.size() ||
           ::strncasecmp(named.data(), host.data(), host.size()) != 0;
  }
  return true;  // "null", or a page of something else
}

MHD_Result AddArgument(void* query, MHD_ValueKind /*kind*/, const char* name, const char* value) {
  auto* arguments = static_cast<decltype(HttpRequest::query)*>(query);
  arguments->emplace(name, value == nullptr ? "" : value);
  return MHD_YES;
}

}  // namespace

std::optional<Refusal> Access::RefusalOf(MHD_Connection* handle, bool is_unix) const {
  if (is_unix) {
    if (IsHostOfSocket(HeaderOf(handle, "Host").value_or(""))) return std::nullopt;
    return Refusal{
        403,
        "the Host of a request to the socket must be an IP address, localhost or another "
        "word without a dot"};
  }
  const bool has_client_ca = !config.client_ca_file.empty();
  const std::string& token_file =
      own_token_file.empty() ? config.bearer_token_file : own_token_file;
  if (token_file.empty() && !has_client_ca) {
    if (IsHostLocal(HeaderOf(handle, "Host").value_or(""))) return std::nullopt;
    return Refusal{403, "the Host of a request to this address must be an IP address or localhost"};
  }
  if (has_client_ca && IsCertified(handle)) return std::nullopt;
  if (token_file.empty()) {
    return Refusal{401,
                   "a client certificate that one of the CAs in clientCAFile has signed is needed"};
  }
  if (HasToken(HeaderOf(handle, "Authorization").value_or(""), token_file)) return std::nullopt;
  const std::string needed =
      has_client_ca ? "a trusted client certificate or the right bearer token is needed"
      : own_token_file.empty()
          ? "the right bearer token is needed"
          : "the bearer token that this agent made at its start is needed; root can read it in " +
                own_token_file + ", or use the unix socket";
  return Refusal{401, needed, {"WWW-Authenticate", "Bearer realm=\"jettison\""}};
}

std::optional<Refusal> RefusalOf(const Head& head, const HttpLimits& limits, std::size_t& length) {
  const auto host = HeaderOf(head.handle, "Host");
  if (head.version != "HTTP/1.0" && !host) {
    return Refusal{400, "a request of HTTP/1.1 needs a Host"};
  }
  if (const auto origin = HeaderOf(head.handle, "Origin");
      origin && IsForeign(*origin, host.value_or(""))) {
    return Refusal{
        403, "requests from pages of another origin are not allowed: Origin must name this Host"};
  }
  if (head.method != "GET" && head.method != "HEAD" && head.method != "POST") {
    return Refusal{405, "the method must be GET, HEAD or POST", {"Allow", "GET, HEAD, POST"}};
  }
  const auto told = HeaderOf(head.handle, "Content-Length");
  if (HeaderOf(head.handle, "Transfer-Encoding") || (!told && head.method == "POST")) {
    return Refusal{411, "the length of a body must be given in Content-Length"};
  }
  if (!told) return std::nullopt;
  const auto bytes = ParseNumber<std::size_t>(*told);
  if (bytes && *bytes <= limits.body_bytes) {
    length = *bytes;
    return std::nullopt;
  }
  return Refusal{413, fmt::format("a body may have {} bytes, not {}", limits.body_bytes, *told)};
}

HttpRequest RequestOf(const Head& head, std::string body) {
  HttpRequest request;
  request.method = head.method == "HEAD" ? "GET" : head.method;
  request.path = head.path;
  request.content_type = HeaderOf(head.handle, "Content-Type").value_or("");
  request.last_event_id = HeaderOf(head.handle, "Last-Event-ID").value_or("");
  request.body = std::move(body);
  MHD_get_connection_values(head.handle, MHD_GET_ARGUMENT_KIND, &AddArgument, &request.query);
  return request;
}

}  // namespace jettison::http
