#pragma once

#include <string>
#include <string_view>

#include "core/units/result.h"

namespace jettison::cri {

// The path of the socket that "unix:///absolute/path" names; kInvalidArgument says what is allowed
// for any other form and for a path that no socket can have (107 bytes; unix(7)).
[[nodiscard]] Result<std::string> SocketOf(std::string_view endpoint);

// gRPC's name for that socket: a URI, so all but letters, digits and "-._~/" is percent-encoded.
[[nodiscard]] std::string TargetOf(std::string_view socket);

}  // namespace jettison::cri
