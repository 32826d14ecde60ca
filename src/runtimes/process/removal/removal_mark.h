#pragma once

#include <string>
#include <string_view>

#include "kernel/files/paths.h"

namespace jettison::process {

// Marks a pod's folder as one that is being removed, by renaming the pod's file to `pod.json.gone`.
// A pod's file that is merely missing says nothing: somebody else may have taken it away.
void MarkAsRemoved(const kernel::Paths& paths, std::string_view uid);

[[nodiscard]] bool IsMarkedAsRemoved(const kernel::Paths& paths, std::string_view uid);

// What MarkAsRemoved and the repair of a pod's file leave beside it.
[[nodiscard]] std::string RemovalMark(const kernel::Paths& paths, std::string_view uid);
[[nodiscard]] std::string DamagedPodFile(const kernel::Paths& paths, std::string_view uid);

}  // namespace jettison::process
