#pragma once

namespace jettison {

// Puts the calling thread behind ordinary ones: nice 10, and last among those whose disk requests
// are served at all (best effort, level 7). Idle classes were rejected: a pod that keeps a disk or
// a processor busy would keep it from being measured. Where the kernel refuses, nothing changes.
void LowerDiskThreadPriority();

}  // namespace jettison
