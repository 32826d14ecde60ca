#include "agent/looks/reading_ahead.h"

#include <algorithm>

namespace jettison {
namespace {

// A look or a pass that is due within this time means that something grows.
constexpr Duration kSoon = std::chrono::milliseconds(10);
// A threshold that is this near at the measured pace.
constexpr Duration kGrowthIsNear = std::chrono::milliseconds(100);
constexpr Duration kBetweenReads = std::chrono::milliseconds(1);
constexpr Duration kBetweenRounds = std::chrono::milliseconds(10);
// The kernel has told that a threshold is near, so the agent looks four times a millisecond.
constexpr Duration kWatchIsNext = std::chrono::milliseconds(1);
constexpr Duration kBetweenLastReads = std::chrono::microseconds(250);

// On a slow machine many pods cannot be read in the last moment. So where looks follow the growth,
// reading begins sooner, with longer rests. Absent: nothing is near.
std::optional<Duration> RestBy(const MemoryLooks& looks, std::optional<Instant> watch_due,
                               std::span<const Threshold> thresholds, Instant now) {
  const auto is_within = [now](std::optional<Instant> due, Duration time) {
    return due && *due < now + time;
  };
  if (is_within(looks.due(), kSoon) || is_within(watch_due, kSoon)) return kBetweenRounds;
  if (!is_within(looks.due(), kGrowthIsNear)) return std::nullopt;
  std::optional<Duration> rest;
  for (const Threshold& threshold : thresholds) {
    const auto time = looks.TimeTo(threshold);
    if (!time || *time > kGrowthIsNear) continue;
    rest = std::min(rest.value_or(kGrowthIsNear), std::max(*time / 2, kBetweenRounds));
  }
  return rest;
}

}  // namespace

bool ReadingAhead::IsDue(const MemoryLooks& looks, std::optional<Instant> watch_due,
                         std::span<const Threshold> thresholds, Instant now) {
  const auto rest = RestBy(looks, watch_due, thresholds, now);
  if (!rest) {
    due_.reset();
    return false;
  }
  rest_ = *rest;
  between_ = watch_due && *watch_due < now + kWatchIsNext ? kBetweenLastReads : kBetweenReads;
  return !due_ || *due_ <= now;
}

void ReadingAhead::Done(bool all, Instant now) {
  due_ = now + (all ? rest_ : between_);
}

}  // namespace jettison
