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

// Drops the page cache that is charged to groups which are about to be removed, on a thread: the
// kernel may take a second for it while its processors are busy. Such pages would stay charged to
// the groups above.
class CacheDropper {
 public:
  // No group is waited for any longer.
  explicit CacheDropper(Duration patience = std::chrono::seconds(10)) : patience_(patience) {}

  // Whether nothing is left to be done for the group; otherwise it is begun, and to be asked for
  // again. `directory` is that of its memory; an invalid one has nothing.
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
