#include "agent/looks/armed_levels.h"

#include <utility>

namespace jettison {
namespace {

constexpr Duration kSpacing = std::chrono::milliseconds(100);

}  // namespace

std::optional<Instant> ArmedLevels::Arm(std::vector<MemoryLevel> levels, Instant now) {
  if (!LevelsMoved(levels_, levels)) return std::nullopt;
  if (!levels_.empty() && now - armed_at_ < kSpacing) return armed_at_ + kSpacing;
  levels_ = levels;
  armed_at_ = now;
  notifier_.Arm(std::move(levels));
  return std::nullopt;
}

}  // namespace jettison
