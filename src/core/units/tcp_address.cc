#include "core/units/tcp_address.h"

#include <arpa/inet.h>

#include <array>
#include <charconv>

namespace jettison {
namespace {

std::optional<std::uint16_t> PortOf(std::string_view text) {
  std::uint16_t port = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, port);
  if (text.empty() || error != std::errc{} || stop != end) return std::nullopt;
  return port;
}

}  // namespace

std::optional<TcpAddress> ParseTcpAddress(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto port = PortOf(text.substr(colon + 1));
  if (!port) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);

  TcpAddress address{.host = std::string(host), .port = *port, .is_v6 = bracketed};
  if (bracketed) {
    in6_addr v6{};
    if (inet_pton(AF_INET6, address.host.c_str(), &v6) != 1) return std::nullopt;
    address.is_loopback = IN6_IS_ADDR_LOOPBACK(&v6);
    return address;
  }
  std::array<unsigned char, 4> v4{};
  if (inet_pton(AF_INET, address.host.c_str(), v4.data()) != 1) return std::nullopt;
  address.is_loopback = v4[0] == 127;
  return address;
}

}  // namespace jettison
