#pragma once

#include "runtimes/process/shim/order.h"

namespace jettison::shim {

// Takes the signals that end the shim's waits: HUP, which has it open its log anew, and CHLD.
void TakeSignals();

// Runs a container to its end: forks it, puts it into its groups, lets it go if the agent is still
// there, copies its output into the log, writes its exit record. Returns the shim's own exit
// status.
[[nodiscard]] int RunContainer(const Order& order);

// Runs a hook in the groups and the mount namespace of a container, its output discarded. Returns
// the hook's exit status, 128 + n after signal n; 127 when it could not be started.
[[nodiscard]] int RunHook(const Order& order);

}  // namespace jettison::shim
