#pragma once

#include <optional>
#include <vector>

#include "agent/edges/edges.h"
#include "agent/edges/memory_levels.h"
#include "core/units/duration.h"

namespace jettison {

// The levels of memory usage for which notifications were last requested from the kernel.
class ArmedLevels {
 public:
  // `notifier` must outlive this.
  explicit ArmedLevels(MemoryNotifier& notifier) : notifier_(notifier) {}

  // Requests these levels instead if they have moved. Levels that move all the time, because the
  // page cache grows, are not requested at once: then it returns when to call again.
  [[nodiscard]] std::optional<Instant> Arm(std::vector<MemoryLevel> levels, Instant now);

 private:
  MemoryNotifier& notifier_;
  std::vector<MemoryLevel> levels_;
  Instant armed_at_;
};

}  // namespace jettison
