#pragma once

#include <string>
#include <string_view>

#include "core/model/pod.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "kernel/files/paths.h"
#include "ports/pod_plan.h"

namespace jettison {

// The plan of the pod that a text describes. kInvalidArgument: it is damaged, or describes another
// pod.
[[nodiscard]] Result<PodPlan> ReadWrittenPod(const WrittenPods& written, std::string_view text,
                                             const std::string& uid);

// Whether what describes a pod is damaged or missing; otherwise it may be readable a moment later.
[[nodiscard]] bool IsDamage(const Error& error);

// Whether the UID is a hash of the whole pod, and therefore that of no other pod.
[[nodiscard]] bool IsHashOfContent(const Pod& pod);

// Gives the folder and the logs of a pod another name, below `quarantine` in the root: no data is
// lost, and the UID is free. Mounts of sub paths, which lead out of the folder, are detached;
// memory volumes stay mounted in it. Logs on another file system stay where they are. Answers where
// the files are now; empty: there were none.
[[nodiscard]] Result<std::string> SetAside(const kernel::Paths& paths, const std::string& uid,
                                           Instant now);

}  // namespace jettison
