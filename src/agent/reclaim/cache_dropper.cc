#include "agent/reclaim/cache_dropper.h"

#include <utility>

#include "kernel/groups/group_memory_files.h"

namespace jettison {

// A group that refuses to drop its cache is removed all the same.
bool CacheDropper::IsDone(std::string_view group, FileDescriptor directory) {
  const auto now = std::chrono::steady_clock::now();
  const auto found = by_group_.find(group);
  if (found != by_group_.end()) {
    if (!*found->second.done && now - found->second.since < patience_) return false;
    by_group_.erase(found);
    return true;
  }
  if (!jobs_.running() || !directory) return true;
  if (!kernel::HasPagesToDrop(directory.get())) return true;
  auto done = std::make_shared<std::atomic<bool>>(false);
  by_group_[std::string(group)] = {.since = now, .done = done};
  jobs_.Do([done, of = std::make_shared<const FileDescriptor>(std::move(directory))] {
    kernel::DropPages(of->get());
    *done = true;
  });
  return false;
}

}  // namespace jettison
