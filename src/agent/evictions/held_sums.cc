#include "agent/evictions/held_sums.h"

#include <cstddef>
#include <cstdint>

#include "core/decide/pod_usage.h"
#include "core/decide/ranking.h"

namespace jettison {

HeldSums::Sum HeldSums::Of(Signal signal, DiskLayout layout, std::span<const ActivePod> pods,
                           const EndingPods& ending) {
  Sum sum{.held = {}, .same = true};
  const std::size_t before = holders_.size();
  std::size_t count = 0;
  const auto add = [&](const ActivePod& pod, std::int64_t& amount) {
    const auto usage = UsageOf(pod, signal, layout);
    if (!usage) return;
    amount += *usage;
    sum.same = sum.same && count < before && holders_[count] == pod.facts;
    if (count < holders_.size()) {
      holders_[count] = pod.facts;
    } else {
      holders_.push_back(pod.facts);
    }
    ++count;
  };
  for (const ActivePod& pod : pods) {
    if (MayGo(pod, signal)) add(pod, sum.held.pods);
  }
  for (std::size_t i = 0; i < ending.size(); ++i) {
    if (ending.At(i).stats != nullptr) add(ending.At(i), sum.held.ending);
  }
  sum.same = sum.same && count == before;
  holders_.resize(count);
  return sum;
}

}  // namespace jettison
