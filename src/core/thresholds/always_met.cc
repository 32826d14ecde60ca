#include "core/thresholds/always_met.h"

#include <fmt/format.h>

#include "core/thresholds/own_thresholds.h"
#include "core/thresholds/threshold_text.h"

namespace jettison {

Faults CheckAlwaysMet(const std::vector<Threshold>& thresholds,
                      const SignalCapacities& capacities) {
  Faults faults;
  for (const Threshold& threshold : thresholds) {
    const auto& capacity = capacities[IndexOf(threshold.signal)];
    if (OwnSignalsOf(threshold.signal) != nullptr || !capacity) continue;
    if (!IsAlwaysMet(threshold, *capacity)) continue;
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
