#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "agent/loop/background_thread.h"
#include "core/units/duration.h"
#include "ports/file_descriptor.h"

namespace jettison {

// Drops the page cache of groups that are about to be removed, because it would stay charged to the
// groups above. A thread does it, because it may take the kernel a second while processors are
// busy.
class CacheDropper {
 public:
  // The wait for a group ends after `patience`.
  explicit CacheDropper(Duration patience = std::chrono::seconds(10)) : patience_(patience) {}

  // Whether the group may be removed: its cache has been dropped, there is nothing to drop, or the
  // wait has timed out. If not, the drop is under way, and the caller asks again later. `directory`
  // is the group's directory in the memory hierarchy; an invalid descriptor: nothing to drop.
  [[nodiscard]] bool IsDone(std::string_view group, FileDescriptor directory);

 private:
  struct Drop {
    FileDescriptor directory;
    std::chrono::steady_clock::time_point since;
    bool done = false;
  };
  // Shared with the thread, which may be left behind.
  struct Drops {
    std::mutex mutex;
    std::map<std::string, Drop, std::less<>> by_group;  // guarded by mutex
  };
  static void DropAll(Drops& drops);

  Duration patience_;
  std::shared_ptr<Drops> drops_ = std::make_shared<Drops>();
  BackgroundThread thread_{
      {"drop-cache", "page cache of pods that are gone counts as the node's for a while"},
      AtEnd::kLeave};
};

}  // namespace jettison
