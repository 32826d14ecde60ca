#pragma once

#include <memory>
#include <string_view>

#include "core/config/agent_config.h"
#include "core/units/result.h"
#include "kernel/mounts/mount_calls.h"
#include "machine/log/log.h"
#include "ports/cgroups.h"
#include "ports/clock.h"
#include "ports/container_runtime.h"
#include "ports/disk_thread.h"
#include "ports/group_end.h"
#include "ports/image_store.h"
#include "sources/kubernetes/pods/pod_feed.h"

namespace jettison {

// What runs the pods. Torn down from the last to the first.
struct OpenedRuntime {
  std::unique_ptr<ContainerRuntime> runtime;
  std::unique_ptr<ImageStore> images;  // null: the runtime has none, or they are the kubelet's
};

// What it is opened with; all must outlive it.
struct RuntimeEdges {
  Cgroups& pod_groups;  // where the pods' groups are
  GroupEnd& group_end;  // how they end
  const Clock& clock;
  kube::PodFeed* cluster;  // not null: the pods are a kubelet's, and it tells who they are
  const Log& log;          // told what goes wrong later
  std::shared_ptr<DiskThread> disk_thread;  // for the agent's own files
};

// The first Linux on which pods of the agent's own can run, with a runtime of this kind.
[[nodiscard]] std::string_view FirstLinuxFor(RuntimeKind runtime);

// Whether the kernel has what the removal of the configured pods needs. Fails with kUnavailable
// where it has not, because those pods would never be gone.
[[nodiscard]] Result<void> CanRemovePods(const AgentConfig& config,
                                         const kernel::MountCalls& calls);

// Opens the runtime that the configuration names. A container runtime that does not answer is no
// error here: it is not ready (see ContainerRuntime::Ready).
[[nodiscard]] Result<OpenedRuntime> OpenRuntime(const AgentConfig& config,
                                                const RuntimeEdges& dependencies);

}  // namespace jettison
