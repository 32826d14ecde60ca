#include "agent/reclaim/cache_dropper.h"

#include <mutex>
#include <utility>

#include "kernel/groups/group_memory_files.h"

namespace jettison {

bool CacheDropper::IsDone(std::string_view group, FileDescriptor directory) {
  const auto now = std::chrono::steady_clock::now();
  const std::lock_guard lock(drops_->mutex);
  auto& drops = drops_->by_group;
  const auto found = drops.find(group);
  if (found != drops.end()) {
    if (!found->second.done && now - found->second.since < patience_) return false;
    drops.erase(found);
    return true;
  }
  if (!thread_.running() || !directory) return true;
  if (!kernel::HasPagesToDrop(directory.get())) return true;
  drops[std::string(group)] = {.directory = std::move(directory), .since = now};
  thread_.Do([drops = drops_] { DropAll(*drops); });
  return false;
}

// A group that refuses to drop its cache is removed all the same.
void CacheDropper::DropAll(Drops& drops) {
  for (;;) {
    std::string group;
    FileDescriptor directory;
    {
      const std::lock_guard lock(drops.mutex);
      for (auto& [name, drop] : drops.by_group) {
        if (!drop.directory) continue;
        group = name;
        directory = std::move(drop.directory);
        break;
      }
    }
    if (!directory) return;
    kernel::DropPages(directory.get());
    const std::lock_guard lock(drops.mutex);
    const auto found = drops.by_group.find(group);
    if (found != drops.by_group.end()) found->second.done = true;
  }
}

}  // namespace jettison
