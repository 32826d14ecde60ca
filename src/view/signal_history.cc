#include "view/signal_history.h"

namespace jettison {
namespace {

constexpr Duration kSpacing = std::chrono::seconds(1);
constexpr Duration kKept = std::chrono::hours(1);
// A node under pressure passes every second; its samples then reach back a quarter of an hour.
constexpr std::size_t kMostSamples = 900;

SignalSample SampleOf(const Observations& observations, Instant now) {
  SignalSample sample{.at = now};
  for (const Signal signal : kAllSignals) {
    const auto& observation = observations[signal];
    if (!observation) continue;
    sample.available[IndexOf(signal)] = observation->available;
    sample.known.set(IndexOf(signal));
  }
  return sample;
}

}  // namespace

void SignalHistory::Add(const Observations& observations, Instant now) {
  if (!samples_.empty() && now - samples_.back().at < kSpacing) return;
  while (!samples_.empty() &&
         (samples_.size() >= kMostSamples || now - samples_.front().at > kKept)) {
    samples_.pop_front();
  }
  samples_.push_back(SampleOf(observations, now));
}

}  // namespace jettison
