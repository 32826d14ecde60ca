#pragma once

#include <functional>
#include <string>

#include "rpc/calls.h"

namespace jettison::cri {

// Removes a container of CRI's. Where that fails because containerd has kept a task of it that
// never ran or has ended, and that CRI has forgotten, the task is taken away first: the call that
// starts a container leaves one in CREATED when whoever made it ends at the wrong moment, and no
// call of CRI removes such a container, nor its sandbox, until containerd is restarted (seen
// with 1.6). A task that runs is left alone. `done` is called once, through an answer; what is gone
// already is removed.
void RemoveContainerWithTask(Calls& calls, const std::string& id, Duration deadline,
                             std::function<void(Result<void>)> done);

}  // namespace jettison::cri
