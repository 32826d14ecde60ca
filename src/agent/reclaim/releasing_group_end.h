#pragma once

#include <string_view>
#include <utility>

#include "agent/reclaim/cache_dropper.h"
#include "agent/reclaim/mass_signal.h"
#include "agent/reclaim/memory_releaser.h"
#include "ports/cgroups.h"
#include "ports/group_end.h"

namespace jettison {

// Ends groups so that their memory is freed sooner: after each kill, the memory of the killed
// processes is freed beside the loop while the kernel still ends them; where that hangs, it takes
// no more of them after a while. Groups of very many processes are signalled beside the loop. The
// page cache of a group is dropped there before the group is removed; until that is done, Remove
// fails with kUnavailable.
class ReleasingGroupEnd : public GroupEnd {
 public:
  // `groups` must outlive this. `release` frees the memory of one killed process.
  explicit ReleasingGroupEnd(Cgroups& groups,
                             MemoryReleaser::Release release = kernel::ReleaseMemory)
      : groups_(groups), memory_(std::move(release)), mass_(groups) {}

  [[nodiscard]] Result<void> Signal(std::string_view path, int signal) override;
  [[nodiscard]] Result<void> Kill(std::string_view path) override;
  [[nodiscard]] bool IsSignalling(std::string_view path) override { return mass_.IsSending(path); }
  [[nodiscard]] Result<void> Remove(std::string_view path) override;

 private:
  [[nodiscard]] bool AreMany(std::string_view path) const;

  Cgroups& groups_;
  MemoryReleaser memory_;
  CacheDropper cache_;
  MassSignal mass_;
};

}  // namespace jettison
