#pragma once

namespace jettison {

// Tells the service manager how the agent stands; without one (NOTIFY_SOCKET unset) nothing
// happens.
void NotifyReady();
void NotifyStopping();

}  // namespace jettison
