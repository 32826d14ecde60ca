#pragma once

#include <cstddef>

#include "agent/pods/pod_table.h"
#include "core/model/images.h"
#include "ports/node_actions.h"

namespace jettison {

// Whether pods that have ended keep their dead containers.
enum class ForgetOf : bool { kRestartingPodsOnly, kEndedPodsToo };
// Removes the dead containers of the table's pods that the policy does not keep. Returns how many.
std::size_t ForgetDeadContainers(PodTable& table, const ContainerGcPolicy& policy, ForgetOf which,
                                 Instant now);

}  // namespace jettison
