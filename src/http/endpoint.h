#pragma once

#include <string>
#include <string_view>

#include "core/units/result.h"

namespace jettison::http {

// Where a server is.
struct Endpoint {
  enum class Kind { kUnix, kHttp, kHttps };
  Kind kind = Kind::kUnix;
  std::string path;  // of a unix socket
  std::string host;  // a name or an IP address, without brackets
  std::string port;  // "80"

  // What goes into a request's Host.
  [[nodiscard]] std::string Authority() const;
};

// "unix:///path", "http://host:port", "https://[::1]:port"; without a port 80 or 443. A path, a
// query or a user behind it is refused.
[[nodiscard]] Result<Endpoint> ParseEndpoint(std::string_view text);

inline constexpr std::string_view kOwnTokenFolder = "/run/jettison";

// Where an agent keeps the token that it made for a TCP address ("127.0.0.1:10350", "[::1]:10350"):
// "/run/jettison/http-127.0.0.1:10350.token". Clients on the machine find it by the same rule.
[[nodiscard]] std::string OwnTokenFile(std::string_view address,
                                       std::string_view folder = kOwnTokenFolder);

}  // namespace jettison::http
