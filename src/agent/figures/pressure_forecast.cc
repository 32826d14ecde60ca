#include "agent/figures/pressure_forecast.h"

#include <algorithm>
#include <cmath>

#include "core/evaluate/evaluate.h"
#include "core/model/pressure.h"

namespace jettison {
namespace {

constexpr Duration kLongest = std::chrono::seconds(10);

}  // namespace

std::optional<Duration> SoonestCrossing(const Threshold& threshold,
                                        const Observations& observations) {
  const auto about = PressureSignalOf(threshold.signal);
  if (!about) return std::nullopt;
  const auto& seen = observations[threshold.signal];
  if (!seen) return std::nullopt;
  const std::int64_t line = QuantityOf(threshold.value, seen->capacity).Value();
  if (seen->available < line) return std::nullopt;
  // With a threshold of 100% the line is 0, which no average ever reaches.
  if (line <= 0) return kLongest;
  // If all tasks wait, what is available falls to `line` within this many windows.
  const double windows = std::log(static_cast<double>(seen->available) / static_cast<double>(line));
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(about->window) *
                                              windows);
}

std::optional<Duration> NextPressureLook(std::span<const Threshold> thresholds,
                                         const Observations& observations, Duration spacing) {
  std::optional<Duration> next;
  for (const Threshold& threshold : thresholds) {
    const auto soonest = SoonestCrossing(threshold, observations);
    if (soonest && (!next || *soonest < *next)) next = soonest;
  }
  if (!next) return std::nullopt;
  return std::clamp(*next, spacing, kLongest);
}

}  // namespace jettison
