#include "agent/wake/arming_thread.h"

#include <utility>

namespace jettison {

void ArmingThread::Arm(std::vector<MemoryLevel> levels) {
  jobs_.DoInstead([this, levels = std::move(levels)] {
    Armed armed;
    for (const MemoryLevel& level : levels) {
      const auto group = open_group_(level.signal);
      auto registered = group ? MemcgThreshold::Register(group->get(), level.bytes)
                              : Result<MemcgThreshold>(Fail(group.error()));
      if (registered) {
        armed.levels.push_back(std::move(*registered));
      } else {
        armed.errors.push_back(registered.error().In(NameOf(level.signal)));
      }
    }
    results_.Put(std::move(armed));
  });
}

}  // namespace jettison
