#include "http/endpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <system_error>

#include "core/model/redaction.h"
#include "core/text/number.h"

namespace jettison::http {
namespace {

constexpr std::size_t kLongestSocketPath = 107;  // sockaddr_un, with the NUL at its end

bool IsHost(std::string_view host) {
  return !host.empty() && std::ranges::all_of(host, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == ':' || c == '_';
  });
}

bool IsPort(std::string_view port) {
  return ParseNumber<std::uint16_t>(port).value_or(0) != 0;
}

tl::unexpected<Error> Refused(std::string_view text) {
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("{} is not the address of a server; write unix:///path/to/socket, "
                          "http://host:port or https://host:port",
                          text.empty() ? "an empty text" : RedactedUrl(text)));
}

}  // namespace

std::string Endpoint::Authority() const {
  if (kind == Kind::kUnix) return "localhost";
  return fmt::format(fmt::runtime(host.find(':') == std::string::npos ? "{}:{}" : "[{}]:{}"), host,
                     port);
}

Result<Endpoint> ParseEndpoint(std::string_view text) {
  constexpr std::string_view kUnix = "unix://";
  constexpr std::string_view kHttp = "http://";
  constexpr std::string_view kHttps = "https://";
  Endpoint endpoint;
  if (text.starts_with(kUnix)) {
    endpoint.path = text.substr(kUnix.size());
    if (!endpoint.path.starts_with('/')) return Refused(text);
    if (endpoint.path.size() > kLongestSocketPath) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("{}: the path of a socket must not be longer than {} bytes", text,
                              kLongestSocketPath));
    }
    return endpoint;
  }
  const bool is_tls = text.starts_with(kHttps);
  if (!is_tls && !text.starts_with(kHttp)) return Refused(text);
  endpoint.kind = is_tls ? Endpoint::Kind::kHttps : Endpoint::Kind::kHttp;
  std::string_view rest = text.substr((is_tls ? kHttps : kHttp).size());
  if (rest.ends_with('/')) rest.remove_suffix(1);
  std::string_view port = is_tls ? "443" : "80";
  std::string_view host = rest;
  const std::size_t bracket = rest.find(']');
  if (rest.starts_with('[') && bracket != std::string_view::npos) {
    host = rest.substr(1, bracket - 1);
    const std::string_view behind = rest.substr(bracket + 1);
    if (!behind.empty() && behind.front() != ':') return Refused(text);
    if (!behind.empty()) port = behind.substr(1);
  } else if (const std::size_t colon = rest.find(':'); colon != std::string_view::npos) {
    host = rest.substr(0, colon);
    port = rest.substr(colon + 1);
  }
  if (!IsHost(host) || !IsPort(port)) return Refused(text);
  endpoint.host = host;
  endpoint.port = port;
  return endpoint;
}

std::string OwnTokenFile(std::string_view address, std::string_view folder) {
  return fmt::format("{}/http-{}.token", folder, address);
}

}  // namespace jettison::http
