#include "api/overview/signal_trend.h"

#include <algorithm>
#include <chrono>

#include "core/units/duration.h"

namespace jettison {
namespace {

constexpr Duration kWindow = std::chrono::seconds(30);
constexpr Duration kShortest = std::chrono::seconds(1);  // between two samples that are compared

std::optional<double> ForecastOf(const Snapshot& snapshot, Signal signal) {
  for (const ThresholdView& view : snapshot.thresholds) {
    if (view.threshold.signal == signal && view.time_to) return -view.shrinking_by;
  }
  return std::nullopt;
}

Instant BeginOfWindow(const Snapshot& snapshot) {
  Instant begin = snapshot.at - kWindow;
  for (const auto& pass : snapshot.cycles) {
    if (!pass->report.evictions.empty()) begin = std::max(begin, pass->report.at);
  }
  return begin;
}

}  // namespace

std::optional<double> TrendOf(const Snapshot& snapshot, Signal signal) {
  if (const auto forecast = ForecastOf(snapshot, signal)) return forecast;
  const Instant begin = BeginOfWindow(snapshot);
  const SignalSample* first = nullptr;
  const SignalSample* last = nullptr;
  for (const SignalSample& sample : snapshot.history) {
    if (sample.at < begin || !sample.known[IndexOf(signal)]) continue;
    if (first == nullptr) first = &sample;
    last = &sample;
  }
  if (first == nullptr || last->at - first->at < kShortest) return std::nullopt;
  const std::int64_t change = last->available[IndexOf(signal)] - first->available[IndexOf(signal)];
  return static_cast<double>(change) / SecondsOf(last->at - first->at);
}

}  // namespace jettison
