#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "core/units/duration.h"
#include "rpc/calls.h"

namespace jettison::cri {

// What the connection needs from its owner; each member may be empty.
struct ConnectOptions {
  // Whether so many threads can be started now.
  std::function<bool(std::size_t)> threads_can_be_had;
  // By how much the wall clock is ahead of one that is never set.
  std::function<Duration()> wall_clock_ahead;
  // A call that is not answered so long after its deadline has been lost by gRPC.
  Duration overdue_after = std::chrono::seconds(5);
};

// Calls over a unix socket, "unix:///absolute/path"; any other endpoint is kInvalidArgument. Does
// not wait for the runtime: while nobody listens, calls answer kUnavailable at once, and the socket
// is tried again at least every second. Destroying the result ends the calls under way without
// their answers; what holds it must not do so from within an answer.
//
// gRPC starts its threads at the first call; they take no signals. While they cannot be had, calls
// answer kUnavailable, and it is asked again at the next call, after a second at the earliest.
//
// gRPC waits by the wall clock: where that is put back by an hour, it neither connects again nor
// lets a call's deadline pass for an hour. A clock that was set is found at the next call or
// delivery, and the connection is made anew as soon as no call is under way: the runtime would
// break off what it does for one that is cancelled. Those that are under way for ten seconds more
// answer kUnavailable, and so does every call where one is overdue.
[[nodiscard]] Result<std::unique_ptr<Calls>> Connect(const std::string& endpoint,
                                                     ConnectOptions options = {});

}  // namespace jettison::cri
