#pragma once

#include <string>

#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison::cri {

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
