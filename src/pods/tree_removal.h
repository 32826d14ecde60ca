#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "core/units/result.h"

namespace jettison {

// All of this is work for a thread of the disk. Both of the first return 0 or the errno of the
// first thing that could not be deleted; what is not there is no error.

// Deletes a folder or file with everything in it, however deep and however much. A mount is never
// crossed: it is detached, and what it showed stays.
[[nodiscard]] int RemoveTree(const char* path);

// A volume in memory, whose memory stays for as long as another mount namespace or a process holds
// the mount, unless it is emptied.
struct MemoryVolume {
  std::string path;
  dev_t device = 0;  // of its file system
};
// Deletes what is in it, in the same way as RemoveTree; what is mounted over it stays.
[[nodiscard]] int EmptyVolume(const MemoryVolume& volume);

// Those of a pod with this folder: each tmpfs that is mounted directly among its volumes and
// nowhere else. What a bind mount shows belongs to another place.
[[nodiscard]] std::vector<MemoryVolume> MemoryVolumesOf(const std::string& pod);

// Deletes trees of files, in this order; the first failure is told when everything has been tried.
[[nodiscard]] Result<void> RemoveTrees(const std::vector<std::string>& trees);

}  // namespace jettison
