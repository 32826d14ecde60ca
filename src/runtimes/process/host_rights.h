#pragma once

#include "core/model/pod.h"
#include "core/units/result.h"

namespace jettison::process {

// Refuses a pod that relies on rights which this runtime does not give or take: its containers are
// root on the host's own filesystem, like the agent. Being root and privileged is what they get in
// any case; everything else of a securityContext fails by name, as running without it would be
// another, less safe pod.
[[nodiscard]] Result<void> CheckRights(const Pod& pod);

}  // namespace jettison::process
