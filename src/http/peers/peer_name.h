#pragma once

#include <sys/socket.h>

#include <string>

namespace jettison::http {

// "192.0.2.7:40312", "[2001:db8::1]:40312"; "unix" for anything else.
[[nodiscard]] std::string PeerName(const sockaddr_storage& address);

}  // namespace jettison::http
