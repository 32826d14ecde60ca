#include "view/histories.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace jettison {
namespace {

constexpr Duration kSpacing = std::chrono::seconds(1);
constexpr Duration kKept = std::chrono::hours(1);
// A node under pressure passes every second; its samples then reach back a quarter of an hour.
constexpr std::size_t kMostSamples = 900;
// Of passes.
constexpr std::size_t kOrdinary = 8;
constexpr std::size_t kSpecial = 32;
constexpr std::size_t kLeast = 2;
constexpr std::size_t kMostPods = 2048;

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

bool DidSomething(const RecordedPass& pass) {
  return pass.report.acting_for || !pass.report.evictions.empty() ||
         !(pass.before.conditions == pass.report.conditions());
}

void PassHistory::DropOldestOf(Ring& ring) {
  pods_ -= ring.front()->summary.pods.size();
  ring.pop_front();
}

void PassHistory::Add(std::shared_ptr<const RecordedPass> pass) {
  const bool special = DidSomething(*pass);
  Ring& ring = special ? special_ : ordinary_;
  pods_ += pass->summary.pods.size();
  ring.push_back(std::move(pass));
  if (ring.size() > (special ? kSpecial : kOrdinary)) DropOldestOf(ring);
  // What did something stays longer.
  for (Ring* each : {&ordinary_, &special_}) {
    while (pods_ > kMostPods && each->size() > kLeast) DropOldestOf(*each);
  }
}

std::vector<std::shared_ptr<const RecordedPass>> PassHistory::Passes() const {
  std::vector<std::shared_ptr<const RecordedPass>> all;
  std::ranges::merge(
      ordinary_, special_, std::back_inserter(all), {},
      [](const auto& pass) { return pass->number; }, [](const auto& pass) { return pass->number; });
  return all;
}

void SignalHistory::Add(const Observations& observations, Instant now) {
  if (!samples_.empty() && now - samples_.back().at < kSpacing) return;
  while (!samples_.empty() &&
         (samples_.size() >= kMostSamples || now - samples_.front().at > kKept)) {
    samples_.pop_front();
  }
  samples_.push_back(SampleOf(observations, now));
}

}  // namespace jettison
