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

// The same in the project's words: the call first, and for what may be put right from outside which
// socket it was and what to do. A runtime that knows no CRI v1 (UNIMPLEMENTED) is kUnavailable, one
// without containerd's own API kNotFound.
[[nodiscard]] Error ErrorOf(const FailedCall& failed);

}  // namespace jettison::cri
