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

// Ends groups so that their memory comes back sooner: after each kill a thread takes it from the
// killed processes, beside the kernel's own end of them. Groups of very many processes are
// signalled on a thread of their own. Page cache of a group is dropped before the group is removed,
// on another thread; until that is done Remove is kUnavailable.
class ReleasingGroupEnd : public GroupEnd {
 public:
  // `groups` must outlive this.
  explicit ReleasingGroupEnd(Cgroups& groups) : groups_(groups), mass_(groups) {}

  [[nodiscard]] Result<void> Signal(std::string_view path, int signal) override;
  [[nodiscard]] Result<void> Kill(std::string_view path) override;
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
      {"release-memory", "memory of killed processes comes back at the kernel's own pace"}};
};

}  // namespace jettison
