#include "view/pass_history.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace jettison {

bool DidSomething(const RecordedPass& pass) {
  return pass.report.acting_for || !pass.report.evictions.empty() ||
         !(pass.before.conditions == pass.report.conditions());
}

void PassHistory::Add(std::shared_ptr<const RecordedPass> pass) {
  const bool special = DidSomething(*pass);
  Ring& passes = special ? special_ : ordinary_;
  passes.push_back(std::move(pass));
  if (passes.size() > (special ? special_limit_ : ordinary_limit_)) passes.pop_front();
}

std::vector<std::shared_ptr<const RecordedPass>> PassHistory::Passes() const {
  std::vector<std::shared_ptr<const RecordedPass>> all;
  std::ranges::merge(
      ordinary_, special_, std::back_inserter(all), {},
      [](const auto& pass) { return pass->number; }, [](const auto& pass) { return pass->number; });
  return all;
}

}  // namespace jettison
