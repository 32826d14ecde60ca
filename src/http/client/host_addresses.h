#pragma once

#include <string>
#include <string_view>

#include "core/units/result.h"

namespace jettison::http {

// Whether a host is an IPv4 or IPv6 address, which nobody has to look up.
[[nodiscard]] bool IsIpAddress(const std::string& host);

// What a name resolves to, in the resolver's order: "192.0.2.1,[2001:db8::1]". It waits on the
// caller's thread as long as the resolver does, and starts none. kUnavailable: no address.
[[nodiscard]] Result<std::string> AddressesOf(const std::string& host);

// Addresses as libcurl is told them beforehand (CURLOPT_RESOLVE), so that it looks nothing up.
[[nodiscard]] std::string KnownAddresses(std::string_view host, std::string_view port,
                                         std::string_view addresses);

}  // namespace jettison::http
