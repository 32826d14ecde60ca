#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "pods/child_job.h"

namespace jettison {

// Both return 0 or the errno of the first thing that could not be deleted; what is not there is no
// error. They allocate nothing and take no lock, so that they may run in a forked child of a
// process with threads.

// Deletes a folder or file with everything in it, however deep and however much. A mount is never
// crossed: it is detached, and what it showed stays.
[[nodiscard]] int RemoveTree(const char* path);

// A volume in memory, whose memory stays for as long as another mount namespace or a process holds
// the mount, unless it is emptied.
struct MemoryVolume {
  std::string path;
  dev_t device = 0;  // of its file system
};
// Those of a pod with this folder: each tmpfs that is mounted directly among its volumes and
// nowhere else. What a bind mount shows belongs to another place.
[[nodiscard]] std::vector<MemoryVolume> MemoryVolumesOf(const std::string& pod);
// Deletes what is in it, in the same way as RemoveTree; what is mounted over it stays.
[[nodiscard]] int EmptyVolume(const MemoryVolume& volume);

// What is to be deleted.
struct RemovalOrder {
  // Optional: a folder of a pod, as it is called now. Its volumes in memory are emptied first.
  std::string pod;
  std::vector<std::string> trees;  // in this order
};

// Deletes trees of files in a child, however many they are. Fails where there can be none; the
// first failure of the deletion is told when everything has been tried.
[[nodiscard]] Result<std::unique_ptr<ChildJob>> StartRemoval(kernel::Readiness& readiness,
                                                             const RemovalOrder& order,
                                                             ChildJob::Done done);

}  // namespace jettison
