#include "core/units/http_url.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "core/text/number.h"

namespace jettison {
namespace {

constexpr auto kSchemes = std::to_array<std::string_view>({"http://", "https://"});

tl::unexpected<Error> Refused(std::string_view why) {
  return Fail(ErrorCode::kInvalidArgument, std::string(why));
}

bool IsBreak(char c) {
  return (c >= 0 && c < ' ') || c == '\x7f';
}

bool IsHost(std::string_view host, std::string_view signs) {
  return !host.empty() && std::ranges::all_of(host, [signs](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           signs.find(c) != std::string_view::npos;
  });
}

// Takes "host", "host:port" or "[::1]:port" apart; false: it is none of them.
bool TakePlace(std::string_view place, HttpUrl& url) {
  const bool is_literal = place.starts_with('[');
  const std::size_t end = is_literal ? place.find(']') : std::min(place.find(':'), place.size());
  if (end == std::string_view::npos) return false;
  url.host = place.substr(is_literal ? 1 : 0, is_literal ? end - 1 : end);
  if (!IsHost(url.host, is_literal ? ":." : "-._")) return false;
  place.remove_prefix(is_literal ? end + 1 : end);
  if (place.empty()) return true;
  url.port = place.substr(1);
  return place.front() == ':' && url.port.size() <= 5 && ParseNumber<std::uint32_t>(url.port);
}

std::optional<char> DecodedByte(std::string_view escape) {
  unsigned value = 0;
  if (escape.size() != 3 || escape.front() != '%') return std::nullopt;
  const auto [end, error] = std::from_chars(escape.data() + 1, escape.data() + 3, value, 16);
  if (error != std::errc{} || end != escape.data() + 3) return std::nullopt;
  return static_cast<char>(value);
}

// A "%" without two hexadecimal digits after it stands for itself, as in curl.
std::string Decoded(std::string_view text) {
  std::string decoded;
  while (!text.empty()) {
    const auto byte = DecodedByte(text.substr(0, 3));
    decoded += byte.value_or(text.front());
    text.remove_prefix(byte ? 3 : 1);
  }
  return decoded;
}

}  // namespace

Result<HttpUrl> ParseHttpUrl(std::string_view text) {
  const auto* const scheme =
      std::ranges::find_if(kSchemes, [&](std::string_view s) { return text.starts_with(s); });
  const bool is_one = scheme != kSchemes.end() &&
                      std::ranges::none_of(text, [](char c) { return IsBreak(c) || c == ' '; });
  if (!is_one) return Refused("must be like http://127.0.0.1:9000/path or https://host/path");
  std::string_view rest = text.substr(scheme->size());
  const std::size_t end = std::min(rest.find_first_of("/?#"), rest.size());
  std::string_view place = rest.substr(0, end);
  rest.remove_prefix(end);
  HttpUrl url{.port = text.starts_with("https") ? "443" : "80"};
  if (const std::size_t at = place.rfind('@'); at != std::string_view::npos) {
    const std::string_view user_info = place.substr(0, at);
    url.credentials = Decoded(user_info);
    // RFC 7617 requires the colon even if there is no password.
    if (at > 0 && user_info.find(':') == std::string_view::npos) url.credentials += ':';
    place.remove_prefix(at + 1);
  }
  if (!TakePlace(place, url)) {
    return Refused(
        "must have a host, or host:port, after \"://\"; in a user or a password before it \"/\", "
        "\"?\" and \"#\" are written %2F, %3F and %23");
  }
  if (std::ranges::any_of(url.credentials, IsBreak)) {
    return Refused("must have no control character in its user or its password");
  }
  url.origin = std::string(*scheme) + std::string(place);
  url.target = rest.substr(0, rest.find('#'));
  if (!url.target.starts_with('/')) url.target.insert(0, 1, '/');
  return url;
}

std::optional<TcpAddress> ParseTcpAddress(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto port = ParseNumber<std::uint16_t>(text.substr(colon + 1));
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
