#pragma once

#include <string>

#include "runtimes/process/mount_points.h"
#include "runtimes/process/runs/runtime_context.h"

namespace jettison::process {

// How long the agent's start waits for a shim to end.
inline constexpr int kShimEndTimeoutMs = 2000;

// Removes a pod whose creation or removal was interrupted. Nobody will ever ask for it again, so
// nothing of it may stay. It waits; for the agent's start alone. `user`: who else uses its mount
// points.
void RemoveLeftover(RuntimeContext& context, const std::string& uid, MountPointUser user);

}  // namespace jettison::process
