#pragma once

#include <functional>

#include "rpc/calls.h"

namespace jettison::cri {

// Delivers answers until `done`, for `timeout` at most; whether it is done. For the few moments in
// which there is nothing else to do, the start above all: it blocks, and callbacks of other calls
// run meanwhile.
bool AwaitAnswers(Calls& calls, Duration timeout, const std::function<bool()>& done);

}  // namespace jettison::cri
