#pragma once

#include <memory>

#include "agent/log/log.h"
#include "core/config/agent_config.h"
#include "core/units/result.h"
#include "ports/cgroups.h"
#include "ports/clock.h"
#include "ports/container_runtime.h"
#include "ports/group_end.h"
#include "ports/image_store.h"

namespace jettison {

// What runs the pods. Torn down from the last to the first.
struct OpenedRuntime {
  std::unique_ptr<ContainerRuntime> runtime;
  std::unique_ptr<ImageStore> images;  // null: the runtime has none
};

// Opens the runtime that the configuration names. `pod_groups` is where the pods' groups are made
// and `group_end` how they end; `log` is told what goes wrong later. All must outlive it. A
// container runtime that does not answer is no error here: it is not ready (see
// ContainerRuntime::Ready).
[[nodiscard]] Result<OpenedRuntime> OpenRuntime(const AgentConfig& config, Cgroups& pod_groups,
                                                GroupEnd& group_end, const Clock& clock,
                                                const Log& log);

}  // namespace jettison
