#include "agent/schedule/signal_trends.h"

#include <algorithm>
#include <chrono>
#include <span>

#include "core/evaluate/evaluate.h"

namespace jettison {
namespace {

// With looks half a second apart, or more often, the readings that are kept span two to four
// seconds; those of passes span a minute.
constexpr Duration kSpacing = std::chrono::milliseconds(300);
constexpr Duration kOldest = std::chrono::minutes(1);
constexpr std::size_t kFewest = 4;
// The share of the readings' spread that the line has to explain. Chance rarely does.
constexpr double kLeastExplained = 0.75;

constexpr Duration kFarAway = std::chrono::hours(1);

}  // namespace

void SignalTrends::Take(const Observations& seen, Instant now) {
  for (const Signal signal : kAllSignals) {
    const auto& reading = seen[signal];
    if (!reading) continue;
    auto& [all, count] = readings_[IndexOf(signal)];
    const Instant at = reading->time.value_or(now);
    if (count > 0 && at < all[count - 1].at + kSpacing) continue;
    if (count == all.size()) {
      std::shift_left(all.begin(), all.end(), 1);
      --count;
    }
    all[count++] = {.at = at, .available = reading->available};
  }
}

std::optional<double> SignalTrends::Of(Signal signal, Instant now) const {
  const auto& [all, count] = readings_[IndexOf(signal)];
  std::span<const Reading> readings(all.data(), count);
  while (!readings.empty() && readings.front().at < now - kOldest) readings = readings.subspan(1);
  if (readings.size() < kFewest) return std::nullopt;
  const auto seconds = [&](const Reading& r) { return SecondsOf(r.at - readings.front().at); };
  const auto change = [&](const Reading& r) {
    return static_cast<double>(r.available - readings.front().available);
  };
  double mean_seconds = 0;
  double mean_change = 0;
  for (const Reading& reading : readings) {
    mean_seconds += seconds(reading) / static_cast<double>(readings.size());
    mean_change += change(reading) / static_cast<double>(readings.size());
  }
  double spread_of_seconds = 0;
  double spread_of_change = 0;
  double both = 0;
  for (const Reading& reading : readings) {
    const double x = seconds(reading) - mean_seconds;
    const double y = change(reading) - mean_change;
    spread_of_seconds += x * x;
    spread_of_change += y * y;
    both += x * y;
  }
  if (both * both < kLeastExplained * spread_of_seconds * spread_of_change) return std::nullopt;
  return both / spread_of_seconds;
}

std::optional<Duration> TimeTo(const Threshold& threshold, const Observation& seen, double trend) {
  const std::int64_t left = seen.available - QuantityOf(threshold.value, seen.capacity).Value();
  if (left < 0 || trend >= 0) return std::nullopt;
  const std::chrono::duration<double> time(static_cast<double>(left) / -trend);
  if (time > kFarAway) return std::nullopt;
  return std::chrono::duration_cast<Duration>(time);
}

}  // namespace jettison
