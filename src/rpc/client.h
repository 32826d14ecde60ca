#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/units/result.h"
#include "rpc/calls.h"

namespace jettison::cri {

// The path of the socket that "unix:///absolute/path" names; kInvalidArgument says what is allowed
// for any other form and for a path that no socket can have (107 bytes; unix(7)).
[[nodiscard]] Result<std::string> SocketOf(std::string_view endpoint);

// gRPC's name for that socket: a URI, so all but letters, digits and "-._~/" is percent-encoded.
[[nodiscard]] std::string TargetOf(std::string_view socket);

// Whether so many threads can be started now.
using ThreadsCanBeHad = std::function<bool(std::size_t)>;

// Calls over a unix socket, "unix:///absolute/path"; any other endpoint is kInvalidArgument. Does
// not wait for the runtime: while nobody listens, calls answer kUnavailable at once, and the socket
// is tried again at least every second. Destroying the result ends the calls under way without
// their answers; what holds it must not do so from within an answer.
//
// gRPC starts its threads at the first call; they take no signals. While they cannot be had, for
// which a null `threads_can_be_had` is not asked, calls answer kUnavailable, and it is asked again
// at the next call, after a second at the earliest.
//
// gRPC waits by the wall clock: where that is put back by an hour, it neither tries a socket again
// nor ends a call at its deadline within that hour. So both is done here, by a clock that is never
// set.
[[nodiscard]] Result<std::unique_ptr<Calls>> Connect(const std::string& endpoint,
                                                     ThreadsCanBeHad threads_can_be_had = nullptr);

}  // namespace jettison::cri
