#include "agent/schedule/signal_trends.h"

#include <chrono>

#include "core/evaluate/evaluate.h"

namespace jettison {
namespace {

// With looks half a second apart, or more often, the readings that are kept span two to four
// seconds; those of passes span a minute.
constexpr Duration kSpacing = std::chrono::milliseconds(300);
constexpr Duration kOldest = std::chrono::minutes(1);
constexpr std::size_t kMost = 8;
constexpr double kFewest = 4;
// The share of the readings' spread that the line has to explain. Chance rarely does.
constexpr double kLeastExplained = 0.75;

constexpr Duration kFarAway = std::chrono::hours(1);

}  // namespace

void SignalTrends::Take(const Observations& seen, Instant now) {
  for (const Signal signal : kAllSignals) {
    const auto& reading = seen[signal];
    if (!reading) continue;
    std::vector<Reading>& readings = readings_[IndexOf(signal)];
    const Instant at = reading->time.value_or(now);
    if (!readings.empty() && at < readings.back().at + kSpacing) continue;
    if (readings.size() == kMost) readings.erase(readings.begin());
    readings.push_back({.at = at, .available = reading->available});
  }
}

std::optional<double> SignalTrends::Of(Signal signal, Instant now) const {
  const std::vector<Reading>& readings = readings_[IndexOf(signal)];
  double count = 0;
  double x = 0;
  double y = 0;
  double xx = 0;
  double xy = 0;
  double yy = 0;
  for (const Reading& reading : readings) {
    if (reading.at < now - kOldest) continue;
    const double seconds = SecondsOf(reading.at - readings.back().at);
    const auto change = static_cast<double>(reading.available - readings.back().available);
    count += 1;
    x += seconds;
    y += change;
    xx += seconds * seconds;
    xy += seconds * change;
    yy += change * change;
  }
  if (count < kFewest) return std::nullopt;
  // Each times the square of the count.
  const double both = count * xy - x * y;
  const double spread_of_seconds = count * xx - x * x;
  const double spread_of_change = count * yy - y * y;
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
