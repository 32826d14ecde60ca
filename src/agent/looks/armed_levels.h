#pragma once

#include <optional>
#include <vector>

#include "agent/edges/edges.h"
#include "agent/edges/memory_levels.h"
#include "core/units/duration.h"

namespace jettison {

// The levels of memory that the kernel was last asked to tell of.
class ArmedLevels {
 public:
  // `notifier` must outlive this.
  explicit ArmedLevels(MemoryNotifier& notifier) : notifier_(notifier) {}

  // Asks for these instead where they have moved. Those that move all the time, with page cache
  // that grows, are not asked for at once: then says when to call again.
  [[nodiscard]] std::optional<Instant> Arm(std::vector<MemoryLevel> levels, Instant now);

 private:
  MemoryNotifier& notifier_;
  std::vector<MemoryLevel> levels_;
  Instant armed_at_;
};

}  // namespace jettison
