#pragma once

#include <memory>
#include <string>

#include "platform/cri/calls.h"

namespace jettison::cri {

// Calls over a unix socket, "unix:///absolute/path"; any other endpoint is kInvalidArgument. Does
// not wait for the runtime: while nobody listens, calls answer kUnavailable at once, and the socket
// is tried again at least every second. Destroying the result ends the calls under way without
// their answers; what holds it must not do so from within an answer.
//
// gRPC starts its threads here and at the first call, with the caller's signal mask: block what the
// program takes from a signalfd before.
[[nodiscard]] Result<std::unique_ptr<Calls>> Connect(const std::string& endpoint);

}  // namespace jettison::cri
