#include "agent/looks/memory_forecast.h"

#include <algorithm>

#include "core/evaluate/evaluate.h"
#include "core/units/duration.h"

namespace jettison {
namespace {

// Two looks that are closer together than this do not show a pace.
constexpr Duration kShortestSpan = std::chrono::milliseconds(1);

// A look comes this much after the expected crossing of a line, so that it does not come just
// before it.
constexpr Duration kPastTheLine = std::chrono::microseconds(200);

// The time for `bytes` at `pace` bytes a second, but at most `longest`.
Duration TimeFor(std::int64_t bytes, double pace, Duration longest) {
  const double seconds = static_cast<double>(bytes) / pace;
  if (seconds >= SecondsOf(longest)) return longest;
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

// Bytes until the threshold is crossed; negative: it has been crossed.
std::int64_t Distance(const Threshold& threshold, const Observation& seen) {
  return seen.available - QuantityOf(threshold.value, seen.capacity).Value();
}

}  // namespace

void MemoryForecast::Seen(const Observations& observations, Instant now) {
  for (const Signal signal :
       {Signal::kMemoryAvailable, Signal::kAllocatableMemoryAvailable, Signal::kSwapAvailable}) {
    Trend& trend = trends_[IndexOf(signal)];
    const auto& seen = observations[signal];
    if (!seen) {
      trend = {};
      continue;
    }
    if (trend.last && now - trend.at < kShortestSpan) continue;
    if (trend.last) {
      const double pace =
          static_cast<double>(trend.last->available - seen->available) / SecondsOf(now - trend.at);
      // Faster growth counts at once; slower growth only lowers the pace by half of the difference.
      trend.shrinking = std::max({pace, (trend.shrinking + pace) / 2, 0.0});
    }
    trend.last = seen;
    trend.at = now;
  }
}

double MemoryForecast::ShrinkingBy(Signal signal) const {
  return trends_[IndexOf(signal)].shrinking;
}

const MemoryForecast::Trend* MemoryForecast::TrendOf(const Threshold& threshold) const {
  const Trend& trend = trends_[IndexOf(threshold.signal)];
  return trend.last && Distance(threshold, *trend.last) >= 0 ? &trend : nullptr;
}

std::optional<Duration> MemoryForecast::TimeTo(const Threshold& threshold) const {
  const Trend* trend = TrendOf(threshold);
  if (trend == nullptr || trend->shrinking < 1) return std::nullopt;
  return TimeFor(Distance(threshold, *trend->last), trend->shrinking, std::chrono::hours(24 * 365));
}

// Half of the way, because growth may become faster. The last stretch is not halved: a look just
// past the line sees the crossing soonest.
Duration MemoryForecast::WaitForGrowth(std::int64_t distance, double pace) const {
  const Duration half = TimeFor(distance, 2 * pace, rule_.longest);
  if (half >= rule_.shortest) return half;
  return 2 * half + half / 8 + kPastTheLine;
}

std::optional<Duration> MemoryForecast::NextLook(std::span<const Threshold> thresholds,
                                                 ThresholdSet told,
                                                 std::int64_t kernel_slack) const {
  std::optional<Duration> next;
  const auto no_later_than = [&](Duration wait, Duration floor) {
    const Duration clamped = std::clamp(wait, floor, rule_.longest);
    next = next ? std::min(*next, clamped) : clamped;
  };
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    const Threshold& threshold = thresholds[i];
    const Trend* trend = TrendOf(threshold);
    if (trend == nullptr) continue;
    const std::int64_t distance = Distance(threshold, *trend->last);
    const bool is_swap = threshold.signal == Signal::kSwapAvailable;
    if (!told[i] || distance <= kernel_slack) {
      no_later_than(TimeFor(distance, rule_.sudden_growth, rule_.longest),
                    is_swap ? rule_.swap_spacing : rule_.sudden_spacing);
    }
    if (!told[i] && trend->shrinking >= 1) {
      no_later_than(WaitForGrowth(distance, trend->shrinking), rule_.soonest);
    }
  }
  return next;
}

}  // namespace jettison
