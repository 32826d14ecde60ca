#pragma once

#include <sys/types.h>

#include <optional>

#include "core/units/result.h"
#include "ports/file_descriptor.h"

namespace jettison::process {

// A process with the handle that was opened when its id was known to be its own.
struct HeldProcess {
  pid_t pid = 0;
  const FileDescriptor& pidfd;
};

// What a command needs of a container beside whose process it is to run.
struct LiveContainer {
  FileDescriptor mount_namespace;
  int oom_score_adj = 0;  // 0 where it cannot be read
};

// Absent where the container's process has ended, whoever has its id by now: only a child of the
// container's shim is taken for it. Fails where that cannot be told.
[[nodiscard]] Result<std::optional<LiveContainer>> OpenLiveContainer(pid_t container,
                                                                     const HeldProcess& shim);

}  // namespace jettison::process
