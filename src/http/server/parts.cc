#include <fmt/format.h>

#include <optional>
#include <utility>

#include "http/server/server.h"

namespace jettison {
namespace {

using http::Parts;

// Why these may not go together, with what to do.
std::optional<std::string> FaultOf(const HttpServerOptions& options, const TcpAddress& address) {
  const bool has_tls = !options.tls_cert_file.empty();
  if (has_tls != !options.tls_private_key_file.empty()) {
    return "TLS needs both tlsCertFile and tlsPrivateKeyFile";
  }
  if (!options.client_ca_file.empty() && !has_tls) {
    return "client certificates (clientCAFile) need TLS: set tlsCertFile and tlsPrivateKeyFile";
  }
  if (address.is_loopback) return std::nullopt;
  if (!has_tls) {
    return fmt::format(
        "{} can be reached from other machines, so it needs TLS: set tlsCertFile and "
        "tlsPrivateKeyFile, or listen on 127.0.0.1 or ::1",
        options.address);
  }
  if (options.client_ca_file.empty() && options.bearer_token_file.empty()) {
    return fmt::format(
        "{} can be reached from other machines, so clients must say who they are: set clientCAFile "
        "or bearerTokenFile, or listen on 127.0.0.1 or ::1",
        options.address);
  }
  return std::nullopt;
}

Result<void> PrepareAccess(Parts& parts) {
  const HttpServerOptions& options = parts.options;
  std::string file = options.bearer_token_file;
  std::string own_file;
  const bool has_ca = !options.client_ca_file.empty();
  if (file.empty() && !has_ca && !options.own_token_file.empty()) {
    auto made = http::MakeOwnToken(options.own_token_file);
    if (!made) return Fail(made.error());
    parts.own_token = *std::move(made);
    file = own_file = options.own_token_file;
  }
  if (!file.empty()) {
    if (const auto read = http::ReadToken(file); !read) return Fail(read.error());
  }
  parts.access = http::Access(std::move(file), has_ca, std::move(own_file));
  return {};
}

Result<void> PrepareTcp(Parts& parts) {
  const HttpServerOptions& options = parts.options;
  const auto address = ParseTcpAddress(options.address);
  if (!address) {
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("{} is not an IP address with a port, such as 127.0.0.1:10350 or [::1]:10350",
                    options.address));
  }
  if (auto fault = FaultOf(options, *address)) {
    return Fail(ErrorCode::kInvalidArgument, std::move(*fault));
  }
  if (!options.tls_cert_file.empty()) {
    auto tls = http::ReadTlsFiles(options.tls_cert_file, options.tls_private_key_file,
                                  options.client_ca_file);
    if (!tls) return Fail(tls.error());
    parts.tls = *std::move(tls);
  }
  if (auto prepared = PrepareAccess(parts); !prepared) return prepared;
  auto socket = http::ListenOn(*address);
  if (!socket) return Fail(socket.error());
  parts.tcp_socket = *std::move(socket);
  return {};
}

}  // namespace

Result<Parts> http::PartsOf(const HttpServerOptions& options, HttpHandler handler,
                            HttpErrorAnswer error_answer) {
  Parts parts{
      .options = options, .handler = std::move(handler), .error_answer = std::move(error_answer)};
  if (!options.address.empty()) {
    if (auto prepared = PrepareTcp(parts); !prepared) return Fail(prepared.error());
  }
  if (!options.socket_path.empty()) {
    auto socket = ListenAt(options.socket_path, options.socket_group);
    if (!socket) return Fail(socket.error());
    parts.unix_socket = *std::move(socket);
  }
  return parts;
}

}  // namespace jettison
