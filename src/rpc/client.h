#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/units/duration.h"
#include "core/units/result.h"
#include "rpc/calls.h"

namespace jettison::cri {

// The path of the socket that "unix:///absolute/path" names; kInvalidArgument says what is allowed
// for any other form and for a path that no socket can have (107 bytes; unix(7)).
[[nodiscard]] Result<std::string> SocketOf(std::string_view endpoint);

// gRPC's name for that socket: a URI, so all but letters, digits and "-._~/" is percent-encoded.
[[nodiscard]] std::string TargetOf(std::string_view socket);

// What the connection needs from its owner.
struct ConnectOptions {
  // Whether so many threads can be started now; may be empty.
  std::function<bool(std::size_t)> threads_can_be_had;
  // A call that gRPC has not ended so long after its deadline is cancelled.
  Duration overdue_after = std::chrono::milliseconds(250);
};

// Calls over a unix socket, "unix:///absolute/path"; any other endpoint is kInvalidArgument. Does
// not wait for the runtime: while nobody listens, calls answer kUnavailable at once, and the socket
// is tried again at least every second. Destroying the result ends the calls under way without
// their answers; what holds it must not do so from within an answer.
//
// gRPC starts its threads at the first call; they take no signals. While they cannot be had, calls
// answer kUnavailable, and it is asked again at the next call, after a second at the earliest.
//
// gRPC waits by the wall clock: where that is put back by an hour, it neither tries a socket again
// nor ends a call at its deadline within that hour. So both is done here, by a clock that is never
// set.
[[nodiscard]] Result<std::unique_ptr<Calls>> Connect(const std::string& endpoint,
                                                     ConnectOptions options = {});

}  // namespace jettison::cri
