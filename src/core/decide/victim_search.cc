#include "core/decide/victim_search.h"

#include <algorithm>
#include <limits>

namespace jettison {
namespace {

// More than any pod can hold, and still a valid number of the signal's unit.
constexpr std::uint64_t kUnbounded = std::numeric_limits<std::int64_t>::max();

// Their groups are within that of the guaranteed pods, which is the group of all pods.
constexpr std::array kInnerClasses = {QosClass::kBestEffort, QosClass::kBurstable};

constexpr auto kLater = [](const auto& a, const auto& b) { return b.key < a.key; };

}  // namespace

void VictimSearch::Reserve(std::size_t pods) {
  looked_.reserve(pods);
  candidates_.reserve(pods);
}

void VictimSearch::Begin(Resource resource, std::span<const PodFacts* const> pods,
                         std::span<const std::uint64_t> known,
                         std::span<const std::uint8_t> in_class) {
  resource_ = resource;
  pods_ = pods;
  in_class_ = in_class;
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
  while (!candidates_.empty()) {
    const std::size_t pod = candidates_.front().pod;
    const bool charge_is_known = asked_.pod == pod && asked_.reading == SearchReading::kCharge;
    if (!looked_[pod].read && !charge_is_known) {
      if (const auto step = StepFor(pod)) return step;
      continue;
    }
    if (!looked_[pod].read && CouldWin(pod)) return Ask(SearchReading::kFigure, pod);
    Drop();
  }
  return std::nullopt;
}

// What is to be read of the first candidate, or of its class; none: the candidates have changed.
std::optional<SearchStep> VictimSearch::StepFor(std::size_t pod) {
  if (in_class_[pod] != 0 && !ClassOf(pod).asked) return AskClass(pods_[pod]->qos);
  if (!best_) return Ask(SearchReading::kCharge, pod);
  const std::optional<QosClass> stale = StaleClass(pod);
  if (!swept_) {
    if (stale) return AskClass(*stale);
    PassOver();
  } else if (IsOut(pod)) {
    Drop();
  } else if (stale && !CouldWin(pod)) {
    return AskClass(*stale);
  } else {
    return Ask(SearchReading::kCharge, pod);
  }
  return std::nullopt;
}

// Whether the pod cannot be evicted before the best one, according to what its class holds. The
// charge of a class says nothing about pods that have been read since.
bool VictimSearch::IsOut(std::size_t pod) {
  Looked& looked = looked_[pod];
  if (looked.read) return true;
  const bool in_class = in_class_[pod] != 0;
  if (in_class && !ClassOf(pod).asked) return false;
  looked.bound = in_class ? RestOf(pods_[pod]->qos) : kUnbounded;
  return !CouldWin(pod) && (!in_class || ClassOf(pod).fresh);
}

// Drops all candidates that cannot win at once, because the heap takes longer to drop them one by
// one.
void VictimSearch::PassOver() {
  swept_ = true;
  std::erase_if(candidates_, [this](const Candidate& each) { return IsOut(each.pod); });
  std::ranges::make_heap(candidates_, kLater);
}

void VictimSearch::Answer(std::optional<std::uint64_t> amount) {
  if (amount) amount = std::min(*amount, kUnbounded);
  switch (asked_.reading) {
    case SearchReading::kClass: return TakeClass(asked_.qos, amount);
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

VictimSearch::ClassCharge& VictimSearch::ClassOf(std::size_t pod) {
  return classes_[static_cast<std::size_t>(pods_[pod]->qos)];
}

std::uint64_t VictimSearch::RestOf(QosClass qos) const {
  const ClassCharge& charge = classes_[static_cast<std::size_t>(qos)];
  if (!charge.all) return kUnbounded;
  std::uint64_t known = charge.seen;
  if (qos == QosClass::kGuaranteed) {
    for (const QosClass inner : kInnerClasses) {
      known += classes_[static_cast<std::size_t>(inner)].part.value_or(0);
    }
  }
  return *charge.all > known ? *charge.all - known : 0;
}

std::optional<QosClass> VictimSearch::StaleClass(std::size_t pod) const {
  if (in_class_[pod] == 0) return std::nullopt;
  const QosClass qos = pods_[pod]->qos;
  const ClassCharge& charge = classes_[static_cast<std::size_t>(qos)];
  if (qos == QosClass::kGuaranteed && charge.all) {
    for (const QosClass inner : kInnerClasses) {
      if (!classes_[static_cast<std::size_t>(inner)].part) return inner;
    }
  }
  return charge.fresh ? std::nullopt : std::optional(qos);
}

SearchStep VictimSearch::Ask(SearchReading reading, std::size_t pod) {
  asked_ = {.reading = reading, .pod = pod};
  return asked_;
}

SearchStep VictimSearch::AskClass(QosClass qos) {
  asked_ = {.reading = SearchReading::kClass, .pod = candidates_.front().pod, .qos = qos};
  return asked_;
}

void VictimSearch::TakeClass(QosClass qos, std::optional<std::uint64_t> amount) {
  ClassCharge& charge = classes_[static_cast<std::size_t>(qos)];
  if (!charge.asked) charge.all = amount;
  charge.all = charge.all && amount ? std::optional(std::max(*charge.all, *amount)) : std::nullopt;
  charge.asked = charge.fresh = true;
  swept_ = false;
  ClassCharge& whole = classes_[static_cast<std::size_t>(QosClass::kGuaranteed)];
  if (qos == QosClass::kGuaranteed || !whole.asked) return;
  charge.part = amount.value_or(0);
  whole.fresh = false;
}

void VictimSearch::TakeCharge(std::size_t pod, std::optional<std::uint64_t> amount) {
  if (in_class_[pod] != 0) {
    ClassOf(pod).seen += amount.value_or(0);
    ClassOf(pod).fresh = false;
  }
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
