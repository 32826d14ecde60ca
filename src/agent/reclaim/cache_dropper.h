#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "agent/loop/job_queue.h"
#include "core/units/duration.h"
#include "ports/file_descriptor.h"

namespace jettison {

// Drops the page cache of groups that are about to be removed, because it would stay charged to the
// groups above. It is done beside the loop, because it may take the kernel a second while
// processors are busy.
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
    std::chrono::steady_clock::time_point since;
    std::shared_ptr<std::atomic<bool>> done;  // with the job, which may be left behind
  };

  Duration patience_;
  std::map<std::string, Drop, std::less<>> by_group_;
  JobQueue jobs_{Threads::kSpare, AtEnd::kLeave};
};

}  // namespace jettison
