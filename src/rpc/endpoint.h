#pragma once

#include <string>
#include <string_view>

#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison::cri {

// The path of the socket that "unix:///absolute/path" names; kInvalidArgument says what is allowed
// for any other form and for a path that no socket can have (107 bytes; unix(7)).
[[nodiscard]] Result<std::string> SocketOf(std::string_view endpoint);

// gRPC's name for that socket: a URI, so all but letters, digits and "-._~/" is percent-encoded.
[[nodiscard]] std::string TargetOf(std::string_view socket);

// A call that did not succeed, as gRPC tells it.
struct FailedCall {
  std::string call;     // "RunPodSandbox"
  std::string socket;   // path of the runtime's socket
  Duration deadline{};  // what the call was given
  int status = 0;       // gRPC's canonical code, never 0 (OK)
  std::string message;  // of the runtime, or of gRPC itself; may be empty
  bool of_cri = true;   // else of containerd's own API
};

// The failure as an Error. The message begins with the call; where an operator can help, it names
// the socket and says what to do. kUnavailable: the runtime does not offer CRI v1 (UNIMPLEMENTED);
// kNotFound: it does not offer containerd's own API.
[[nodiscard]] Error ErrorOf(const FailedCall& failed);

}  // namespace jettison::cri
