#include "agent/evictions/held_sums.h"

#include <algorithm>
#include <utility>

#include "core/decide/pod_usage.h"
#include "core/decide/ranking.h"

namespace jettison {
namespace {

// Compares the holders of the last sum with those of this one; both are in the same order.
// `missing` is called with those that are no longer among them. False: there is a new holder.
template <typename Missing>
bool Compare(std::span<const PodAmount> last, std::span<const PodAmount> now,
             const Missing& missing) {
  auto before = last.begin();
  for (const PodAmount& holder : now) {
    while (before != last.end() && before->identity != holder.identity) missing(*before++);
    if (before == last.end()) return false;
    ++before;
  }
  std::ranges::for_each(before, last.end(), missing);
  return true;
}

}  // namespace

void HeldSums::Holders::Clear() {
  pods.clear();
  ending.clear();
}

HeldAmounts HeldSums::Of(Signal signal, DiskLayout layout, std::span<const ActivePod> pods,
                         const EndingPods& ending) {
  HeldAmounts held;
  std::swap(last_, now_);
  now_.Clear();
  const auto add = [&](const ActivePod& pod, std::vector<PodAmount>& holders,
                       std::int64_t& amount) {
    const auto usage = UsageOf(pod, signal, layout);
    if (!usage) return;
    amount += *usage;
    holders.emplace_back(*pod.facts, *usage);
  };
  for (const ActivePod& pod : pods) {
    if (MayGo(pod, signal)) add(pod, now_.pods, held.pods);
  }
  for (std::size_t i = 0; i < ending.size(); ++i) {
    if (ending.At(i).stats != nullptr) add(ending.At(i), now_.ending, held.ending);
  }
  held.each = now_.pods;
  held.change = Change();
  return held;
}

std::int64_t HeldSums::AmountOf(const PodFacts& pod) const {
  const auto found = std::ranges::find(now_.pods, pod.identity, &PodAmount::identity);
  return found == now_.pods.end() ? 0 : found->amount;
}

std::optional<HolderChange> HeldSums::Change() {
  HolderChange change;
  left_.clear();
  const bool alike =
      Compare(last_.pods, now_.pods, [&](const PodAmount& holder) { left_.push_back(holder); });
  if (!alike) return std::nullopt;
  for (const PodAmount& holder : left_) change.left_pods += holder.amount;

  // The list is in the order in which pods began to end, so new ones are at its end.
  const auto in_left = [&](const PodAmount& holder) {
    return std::ranges::find(left_, holder.identity, &PodAmount::identity);
  };
  const auto began = std::ranges::find_if(
      now_.ending, [&](const PodAmount& holder) { return in_left(holder) != left_.end(); });
  for (const PodAmount& holder : std::span(began, now_.ending.end())) {
    const auto left = in_left(holder);
    if (left == left_.end()) return std::nullopt;
    change.began_to_end += left->amount;
  }
  bool any_gone = false;
  const bool known =
      Compare(last_.ending, std::span(now_.ending.begin(), began), [&](const PodAmount& holder) {
        change.gone += holder.amount;
        any_gone = true;
      });
  if (!known) return std::nullopt;
  change.any = any_gone || !left_.empty();
  return change;
}

}  // namespace jettison
