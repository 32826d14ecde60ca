#pragma once

#include <mutex>
#include <string_view>
#include <vector>

#include "agent/loop/background_thread.h"
#include "agent/reclaim/cache_dropper.h"
#include "agent/reclaim/mass_signal.h"
#include "ports/cgroups.h"
#include "ports/file_descriptor.h"
#include "ports/group_end.h"

namespace jettison {

// Ends groups so that their memory is freed sooner: after each kill, a thread frees the memory of
// the killed processes while the kernel still ends them. Groups of very many processes are
// signalled on another thread. The page cache of a group is dropped on a third thread before the
// group is removed; until that is done, Remove fails with kUnavailable.
class ReleasingGroupEnd : public GroupEnd {
 public:
  // `groups` must outlive this.
  explicit ReleasingGroupEnd(Cgroups& groups) : groups_(groups), mass_(groups) {}

  [[nodiscard]] Result<void> Signal(std::string_view path, int signal) override;
  [[nodiscard]] Result<void> Kill(std::string_view path) override;
  [[nodiscard]] bool IsSignalling(std::string_view path) override { return mass_.IsSending(path); }
  [[nodiscard]] Result<void> Remove(std::string_view path) override;

 private:
  [[nodiscard]] bool AreMany(std::string_view path) const;
  void ReleaseAll();

  Cgroups& groups_;
  std::mutex mutex_;
  std::vector<FileDescriptor> killed_;  // guarded by mutex_; processes whose memory is to be taken
  CacheDropper cache_;
  MassSignal mass_;
  // The last member: it ends first.
  BackgroundThread thread_{
      {"release-memory", "memory of killed processes is freed only as fast as the kernel does it"}};
};

}  // namespace jettison
