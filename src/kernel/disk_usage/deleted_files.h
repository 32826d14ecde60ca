#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <span>

#include "core/model/summary.h"

namespace jettison {

// The file systems whose deleted files count.
struct DevicesOfDisk {
  std::optional<dev_t> node;    // of the node
  std::optional<dev_t> layers;  // of writable layers
};

// What deleted files take. Without figures: nothing was found, but not everything could be read.
struct DeletedFiles {
  FsUsage on_node;
  FsUsage in_layers;
  bool unread = false;  // not everything could be read: the figures are lower bounds
};

// The files without a name that these processes hold open (/proc/PID/fd), each once. They take
// space until they are closed, and no walk through folders finds them. A process that has ended
// holds none; one that may not be looked into (hidepid, no CAP_SYS_PTRACE) is unread. Looks at
// `most` descriptors and reduces it by those; what is beyond is unread.
[[nodiscard]] DeletedFiles DeletedFilesOf(std::span<const pid_t> processes,
                                          const DevicesOfDisk& devices, std::size_t& most);

}  // namespace jettison
