#include "core/thresholds/always_met.h"

#include <fmt/format.h>

#include "core/thresholds/own_thresholds.h"
#include "core/thresholds/threshold_settings.h"

namespace jettison {
namespace {

bool HasOutOfReach(const Threshold& threshold, std::int64_t capacity) {
  return threshold.min_reclaim &&
         QuantityOf(threshold.value, capacity) + QuantityOf(*threshold.min_reclaim, capacity) >
             Quantity::Of(capacity);
}

Fault OutOfReach(const Threshold& threshold, std::int64_t capacity) {
  return {.file = "",
          .key = fmt::format("evictionMinimumReclaim[{}]", NameOf(threshold.signal)),
          .value = ThresholdText(*threshold.min_reclaim),
          .message = fmt::format(
              "lies with the threshold of {} above {}, the capacity of this node, so a threshold "
              "that was met once stays met",
              ThresholdText(threshold.value),
              Quantity::Of(capacity, QuantityOf(threshold.value, capacity).format()).ToString())};
}

}  // namespace

Faults CheckAlwaysMet(const std::vector<Threshold>& thresholds,
                      const SignalCapacities& capacities) {
  Faults faults;
  for (const Threshold& threshold : thresholds) {
    const auto& capacity = capacities[IndexOf(threshold.signal)];
    if (!RowOf(threshold.signal).of_kubelet || !capacity) continue;
    if (!IsAlwaysMet(threshold, *capacity)) {
      if (HasOutOfReach(threshold, *capacity)) AddFault(faults, OutOfReach(threshold, *capacity));
      continue;
    }
    AddFault(
        faults,
        {.file = "",
         .key = fmt::format("{}[{}]", threshold.IsHard() ? "evictionHard" : "evictionSoft",
                            NameOf(threshold.signal)),
         .value = ThresholdText(threshold.value),
         .message = fmt::format(
             "is not below {}, the capacity of this node, so it is always met; {}",
             Quantity::Of(*capacity, QuantityOf(threshold.value, *capacity).format()).ToString(),
             threshold.kubelet ? "it never acts, and only the kubelet evicts for this signal"
                               : "every pod that may be evicted is evicted for it")});
  }
  return faults;
}

}  // namespace jettison
