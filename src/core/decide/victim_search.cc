#include "core/decide/victim_search.h"

#include <algorithm>
#include <limits>

namespace jettison {
namespace {

// More than any pod can hold, and still a valid number of the signal's unit.
constexpr std::uint64_t kUnbounded = std::numeric_limits<std::int64_t>::max();

constexpr auto kLater = [](const auto& a, const auto& b) { return b.key < a.key; };

}  // namespace

std::uint64_t VictimSearch::ClassCharge::Rest() const {
  if (!all) return kUnbounded;
  return *all > seen ? *all - seen : 0;
}

void VictimSearch::Begin(Resource resource, std::span<const PodFacts* const> pods,
                         std::span<const std::uint64_t> known) {
  resource_ = resource;
  pods_ = pods;
  looked_.assign(pods.size(), Looked());
  classes_.fill(ClassCharge());
  asked_ = {.reading = SearchReading::kFigure, .pod = pods.size()};
  best_.reset();
  swept_ = false;
  candidates_.clear();
  for (std::size_t i = 0; i < pods.size(); ++i) {
    if (!pods[i]->IsProtected()) candidates_.push_back({.key = KeyAt(i, known[i]), .pod = i});
  }
  std::ranges::make_heap(candidates_, kLater);
}

std::optional<SearchStep> VictimSearch::Next() {
  for (; !candidates_.empty(); Drop()) {
    const std::size_t pod = candidates_.front().pod;
    if (looked_[pod].read) continue;
    const bool charge_is_known = asked_.pod == pod && asked_.reading == SearchReading::kCharge;
    if (charge_is_known) {
      if (CouldWin(pod)) return Ask(SearchReading::kFigure, pod);
      continue;
    }
    if (!best_) return Ask(SearchReading::kCharge, pod);
    const ClassCharge* charge = ClassOf(pod);
    if (charge != nullptr && !charge->asked) return Ask(SearchReading::kClass, pod);
    if (!swept_) {
      PassOver();
      if (candidates_.empty()) break;
    }
    const std::size_t next = candidates_.front().pod;
    if (IsStillIn(next)) return Ask(SearchReading::kCharge, next);
  }
  return std::nullopt;
}

// Whether the pod could still be evicted before the best one, according to what its class holds.
bool VictimSearch::IsStillIn(std::size_t pod) {
  Looked& looked = looked_[pod];
  if (looked.read) return false;
  const ClassCharge* charge = ClassOf(pod);
  if (charge != nullptr && !charge->asked) return true;
  looked.bound = charge == nullptr ? kUnbounded : charge->Rest();
  return CouldWin(pod);
}

// Drops all candidates that cannot win at once, because the heap takes longer to drop them one by
// one.
void VictimSearch::PassOver() {
  swept_ = true;
  std::erase_if(candidates_, [this](const Candidate& each) { return !IsStillIn(each.pod); });
  std::ranges::make_heap(candidates_, kLater);
}

void VictimSearch::Answer(std::optional<std::uint64_t> amount) {
  if (amount) amount = std::min(*amount, kUnbounded);
  switch (asked_.reading) {
    case SearchReading::kClass:
      ClassOf(asked_.pod)->all = amount;
      swept_ = false;
      return;
    case SearchReading::kCharge: return TakeCharge(asked_.pod, amount);
    case SearchReading::kFigure: return TakeFigure(asked_.pod, amount.value_or(0));
  }
  __builtin_unreachable();
}

std::optional<std::uint64_t> VictimSearch::BoundOf(std::size_t pod) const {
  return looked_[pod].read ? std::nullopt : looked_[pod].bound;
}

RankKey VictimSearch::KeyAt(std::size_t pod, std::uint64_t amount) const {
  return resource_ == Resource::kPids ? PidRankAt(*pods_[pod], amount)
                                      : MemoryRankAt(*pods_[pod], amount);
}

// The key at the pod's upper bound is the smallest it can have, because a larger amount always
// comes first.
bool VictimSearch::CouldWin(std::size_t pod) const {
  return !best_ || KeyAt(pod, looked_[pod].bound.value_or(kUnbounded)) < best_key_;
}

// Foreign pods are not in the class groups of this agent.
VictimSearch::ClassCharge* VictimSearch::ClassOf(std::size_t pod) {
  if (pods_[pod]->source != PodOrigin::kOwn) return nullptr;
  return &classes_[static_cast<std::size_t>(pods_[pod]->qos)];
}

SearchStep VictimSearch::Ask(SearchReading reading, std::size_t pod) {
  if (reading == SearchReading::kClass) ClassOf(pod)->asked = true;
  asked_ = {.reading = reading, .pod = pod};
  return asked_;
}

void VictimSearch::TakeCharge(std::size_t pod, std::optional<std::uint64_t> amount) {
  if (ClassCharge* charge = ClassOf(pod)) charge->seen += amount.value_or(0);
  if (resource_ == Resource::kPids) return TakeFigure(pod, amount.value_or(0));
  looked_[pod].bound = amount.value_or(kUnbounded);
}

void VictimSearch::TakeFigure(std::size_t pod, std::uint64_t amount) {
  looked_[pod] = {.bound = amount, .read = true};
  const RankKey key = KeyAt(pod, amount);
  if (best_ && !(key < best_key_)) return;
  best_ = pod;
  best_key_ = key;
  swept_ = false;
}

void VictimSearch::Drop() {
  std::ranges::pop_heap(candidates_, kLater);
  candidates_.pop_back();
}

}  // namespace jettison
