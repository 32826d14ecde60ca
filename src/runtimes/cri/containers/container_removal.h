#pragma once

#include <functional>
#include <string>

#include "rpc/calls.h"

namespace jettison::cri {

// Removes a container through CRI. Where that fails because containerd still has a task of it which
// never ran or has ended, and which CRI no longer knows, the task is deleted first. The call that
// starts a container leaves such a task in CREATED when its caller ends at the wrong moment; no
// call of CRI then removes the container or its sandbox until containerd is restarted (seen with
// 1.6). A running task is left alone. A container that does not exist counts as removed. `done` is
// called once, from the delivery of an answer.
void RemoveContainerWithTask(Calls& calls, const std::string& id, Duration deadline,
                             std::function<void(Result<void>)> done);

}  // namespace jettison::cri
