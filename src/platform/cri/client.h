#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "platform/cri/calls.h"

namespace jettison::cri {

// Whether so many threads can be started now.
using ThreadsCanBeHad = std::function<bool(std::size_t)>;

// Calls over a unix socket, "unix:///absolute/path"; any other endpoint is kInvalidArgument. Does
// not wait for the runtime: while nobody listens, calls answer kUnavailable at once, and the socket
// is tried again at least every second. Destroying the result ends the calls under way without
// their answers; what holds it must not do so from within an answer.
//
// gRPC starts its threads at the first call; they take no signals. While `threads` says that they
// cannot be had, calls answer kUnavailable, and it is asked again at the next call, after a second
// at the earliest.
[[nodiscard]] Result<std::unique_ptr<Calls>> Connect(const std::string& endpoint,
                                                     ThreadsCanBeHad threads = nullptr);

}  // namespace jettison::cri
