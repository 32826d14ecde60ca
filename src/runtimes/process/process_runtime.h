#pragma once

#include <memory>

#include "core/units/result.h"
#include "ports/cgroups.h"
#include "ports/clock.h"
#include "ports/container_runtime.h"
#include "runtimes/process/runs/runtime_context.h"

namespace jettison {

// Runs pods without daemon or image: a container is its command as processes of the host, in
// control groups and a mount namespace of its own, with a shim beside it that outlives the agent.
// See docs/process-runtime.md. `group_end` ends groups of
// `cgroups`; both and `clock` must outlive the runtime. Used by one thread.
//
// Fails where another agent works in the root, or it has pods of the other runtime. The runtime's
// destruction leaves what runs running.
[[nodiscard]] Result<std::unique_ptr<ContainerRuntime>> OpenProcessRuntime(
    ProcessRuntimeOptions options, Cgroups& cgroups, GroupEnd& group_end, const Clock& clock);

}  // namespace jettison
