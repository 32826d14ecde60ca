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
constexpr std::size_t kMostEvents = 1024;
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

std::string KeyOf(const std::string& pod, const Event& event) {
  std::string key = pod;
  for (const std::string_view part :
       {std::string_view(event.object), std::string_view(NameOf(event.type)),
        std::string_view(event.reason), std::string_view(event.message)}) {
    key += '\0';
    key += part;
  }
  return key;
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

EventCounts::Count EventCounts::Add(Instant at, const std::string& pod, const Event& event) {
  const auto [entry, is_new] = entries_.try_emplace(KeyOf(pod, event));
  Entry& counted = entry->second;
  if (is_new) counted.count.first = at;
  ++counted.count.times;
  counted.turn = ++turns_;
  const Count count = counted.count;
  if (entries_.size() > kMostEvents) {
    entries_.erase(
        std::ranges::min_element(entries_, {}, [](const auto& each) { return each.second.turn; }));
  }
  return count;
}

}  // namespace jettison
