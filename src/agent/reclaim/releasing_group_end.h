#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/units/duration.h"
#include "core/units/result.h"
#include "kernel/groups/group_processes.h"
#include "machine/loop/job_queue.h"
#include "ports/cgroups.h"
#include "ports/file_descriptor.h"

namespace jettison {

// Ends groups so that their memory is freed sooner: after each kill, the memory of the killed
// processes is freed beside the loop while the kernel still ends them, that of the last kill first.
//
// Groups of very many processes are signalled beside the loop: four thousand processes, one by one,
// take a tenth of a second, and the kernel may take seconds to freeze a group. Signals to groups of
// one pod are sent one after the other, and no other pod waits for them. What fails there is not
// told; the caller repeats a kill as long as something lives.
//
// The page cache of a group would stay charged to the groups above, so it is dropped before the
// group is removed, which may take a second; until then, Remove fails with kUnavailable.
class ReleasingGroupEnd : public GroupEnd {
 public:
  // Frees the memory of one killed process. Called beside the loop: it waits as long as the process
  // holds its memory in a way that nothing may interrupt.
  using Release = std::function<Result<void>(const FileDescriptor& process)>;

  // `groups` must outlive this. A group whose cache is not dropped within `patience` is removed all
  // the same.
  explicit ReleasingGroupEnd(Cgroups& groups, Release release = kernel::ReleaseMemory,
                             Duration patience = std::chrono::seconds(10))
      : groups_(groups), release_(std::move(release)), patience_(patience) {}

  [[nodiscard]] Result<void> Signal(std::string_view path, int signal) override;
  [[nodiscard]] Result<void> Kill(std::string_view path) override;
  [[nodiscard]] bool IsSignalling(std::string_view path) override;
  [[nodiscard]] Result<void> Remove(std::string_view path) override;

 private:
  // The signals to one pod's groups beside the loop.
  struct Pod {
    std::set<std::pair<std::string, int>> orders;  // path and signal, until they have been sent
    JobQueue jobs{Threads::kEnding};
  };
  struct Drop {
    std::chrono::steady_clock::time_point since;
    std::shared_ptr<std::atomic<bool>> done;  // with the job, which may be left behind
  };

  // Whether the group is to be signalled beside the loop.
  [[nodiscard]] bool AreMany(std::string_view path) const;
  // Unless the same signal waits or is being sent already.
  void SendBeside(std::string_view path, int signal);
  // Whether the cache has been dropped, or is not worth waiting for.
  [[nodiscard]] bool CacheIsDropped(std::string_view path);

  Cgroups& groups_;
  const Release release_;
  const Duration patience_;
  std::map<std::string, Drop, std::less<>> drops_;  // by group
  JobQueue releases_{Threads::kEnding, AtEnd::kLeave};
  JobQueue cache_{Threads::kSpare, AtEnd::kLeave};
  std::mutex mutex_;  // guards the orders of pods
  // The last member: their jobs end first.
  std::map<std::string, Pod, std::less<>> pods_;
};

}  // namespace jettison
