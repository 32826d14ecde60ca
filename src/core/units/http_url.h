#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/units/result.h"

namespace jettison {

// An http or https URL in the parts that a request is made of (RFC 3986).
struct HttpUrl {
  std::string origin;       // "https://host:8443"
  std::string host;         // a name or an IP address, without brackets
  std::string port;         // "8443"; that of the scheme where none is written
  std::string target;       // "/path?query"; a fragment is not sent
  std::string credentials;  // "user:password", decoded; empty: none
};

// The error says what is wrong without telling anything of the text, which may hold a password.
[[nodiscard]] Result<HttpUrl> ParseHttpUrl(std::string_view text);

// Where a server listens: an address of IPv4 or IPv6 and a port.
struct TcpAddress {
  std::string host;        // "127.0.0.1", "::1": without brackets
  std::uint16_t port = 0;  // 0: any that is free
  bool is_v6 = false;
  // Only this machine gets there: 127.0.0.0/8 and ::1.
  bool is_loopback = false;
};

// "127.0.0.1:10350", "[::1]:10350". Absent where it is not of this form; names of hosts are none.
[[nodiscard]] std::optional<TcpAddress> ParseTcpAddress(std::string_view text);

}  // namespace jettison
