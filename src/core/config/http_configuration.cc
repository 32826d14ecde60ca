#include "core/config/http_configuration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "core/text/spelling.h"
#include "core/units/http_url.h"

namespace jettison {
namespace {

constexpr auto kHttpNames = std::to_array<std::string_view>(
    {"address", "allowAnyLocalUser", "bearerTokenFile", "clientCAFile", "socket", "socketGroup",
     "tlsCertFile", "tlsPrivateKeyFile"});
constexpr std::size_t kLongestSocketPath = 107;  // sun_path of unix(7)

// Whether the field has a text other than "", valid or not.
bool IsSet(const Fields& http, std::string_view key) {
  const Value* value = http.Find(key);
  return value != nullptr && !Shown(*value).empty();
}

void ReadSocket(const Fields& http, HttpConfig& config) {
  if (http.Find("socket") != nullptr && !IsSet(http, "socket")) config.socket.clear();
  if (const auto path = http.AbsolutePath("socket")) {
    config.socket = *path;
    if (path->size() > kLongestSocketPath) {
      http.Refuse("socket", *path,
                  fmt::format("must have at most {} bytes, as sockets do", kLongestSocketPath));
    }
  }
  config.socket_group = http.Text("socketGroup").value_or("");
  const auto odd = [](char c) { return c <= ' ' || c == ':' || c == '/' || c == '\x7f'; };
  if (std::ranges::any_of(config.socket_group, odd)) {
    http.Refuse("socketGroup", config.socket_group, "must be the name or number of a group");
  } else if (!config.socket_group.empty() && config.socket.empty()) {
    http.Refuse("socketGroup", config.socket_group, "has no effect where socket is \"\"");
  }
}

// Checks which of the fields for TLS and client authentication need each other.
void CheckTogether(const Fields& http, const HttpConfig& config) {
  const bool has_cert = IsSet(http, "tlsCertFile");
  const bool has_key = IsSet(http, "tlsPrivateKeyFile");
  if (has_cert && !has_key) {
    http.Refuse("tlsCertFile", config.tls_cert_file, "needs tlsPrivateKeyFile, the key to it");
  }
  if (has_key && !has_cert) {
    http.Refuse("tlsPrivateKeyFile", config.tls_private_key_file,
                "needs tlsCertFile, the certificate to it");
  }
  if (IsSet(http, "clientCAFile") && !has_cert && !has_key) {
    http.Refuse("clientCAFile", config.client_ca_file,
                "client certificates need TLS: set tlsCertFile and tlsPrivateKeyFile");
  }
  const bool is_guarded = IsSet(http, "clientCAFile") || IsSet(http, "bearerTokenFile");
  if (config.allow_any_local_user && is_guarded) {
    http.Refuse("allowAnyLocalUser", "true",
                "must not be set where clientCAFile or bearerTokenFile says who may ask");
  }
  if (IsSet(http, "address")) return;
  for (const auto* key : {"allowAnyLocalUser", "tlsCertFile", "tlsPrivateKeyFile", "clientCAFile",
                          "bearerTokenFile"}) {
    if (!IsSet(http, key)) continue;
    http.Refuse(key, Shown(*http.Find(key)), "has no effect without address");
  }
}

void CheckAddress(const Fields& http, const HttpConfig& config) {
  const auto address = ParseTcpAddress(config.address);
  if (!address) {
    http.Refuse("address", config.address,
                "must be an IP address with a port, such as 127.0.0.1:10350 or [::1]:10350");
    return;
  }
  if (address->port == 0)
    http.Refuse("address", config.address, "must have a port from 1 to 65535");
  if (address->is_loopback) return;
  if (!IsSet(http, "tlsCertFile") && !IsSet(http, "tlsPrivateKeyFile")) {
    http.Refuse("address", config.address,
                "other machines can reach it, so it needs TLS: set tlsCertFile and "
                "tlsPrivateKeyFile, or listen on 127.0.0.1 or ::1");
  }
  if (!IsSet(http, "clientCAFile") && !IsSet(http, "bearerTokenFile")) {
    http.Refuse(
        "address", config.address,
        "other machines can reach it, so clients must say who they are: set clientCAFile or "
        "bearerTokenFile, or listen on 127.0.0.1 or ::1");
  }
}

}  // namespace

HttpConfig WithFilesOf(HttpConfig running, const HttpConfig& read) {
  for (std::string HttpConfig::*file :
       {&HttpConfig::tls_cert_file, &HttpConfig::tls_private_key_file, &HttpConfig::client_ca_file,
        &HttpConfig::bearer_token_file}) {
    if (!(running.*file).empty() && !(read.*file).empty()) running.*file = read.*file;
  }
  return running;
}

HttpConfig ReadHttpConfiguration(const Fields& http) {
  HttpConfig config;
  http.RefuseOthers(kHttpNames);
  ReadSocket(http, config);
  config.address = http.Text("address").value_or("");
  const auto take = [&http](std::string_view key, std::string& into) {
    into = http.AbsolutePath(key).value_or("");
  };
  take("tlsCertFile", config.tls_cert_file);
  take("tlsPrivateKeyFile", config.tls_private_key_file);
  take("clientCAFile", config.client_ca_file);
  take("bearerTokenFile", config.bearer_token_file);
  config.allow_any_local_user = http.Flag("allowAnyLocalUser").value_or(false);
  CheckTogether(http, config);
  if (!config.address.empty()) CheckAddress(http, config);
  return config;
}

}  // namespace jettison
