#include "view/pass_history.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace jettison {

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
  if (ring.size() > (special ? limits_.special : limits_.ordinary)) DropOldestOf(ring);
  // What did something stays longer.
  for (Ring* each : {&ordinary_, &special_}) {
    while (pods_ > limits_.most_pods && each->size() > kLeast) DropOldestOf(*each);
  }
}

std::vector<std::shared_ptr<const RecordedPass>> PassHistory::Passes() const {
  std::vector<std::shared_ptr<const RecordedPass>> all;
  std::ranges::merge(
      ordinary_, special_, std::back_inserter(all), {},
      [](const auto& pass) { return pass->number; }, [](const auto& pass) { return pass->number; });
  return all;
}

}  // namespace jettison
