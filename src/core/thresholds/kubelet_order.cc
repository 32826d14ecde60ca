#include "core/thresholds/kubelet_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <variant>

#include "core/thresholds/kubelet_margin.h"
#include "core/thresholds/own_thresholds.h"
#include "core/thresholds/threshold_text.h"
#include "core/units/duration.h"

namespace jettison {
namespace {

using Capacity = std::optional<std::int64_t>;

// A share that is not a number is never met.
bool IsNever(const ThresholdValue& value) {
  const auto* share = std::get_if<Percentage>(&value);
  return share != nullptr && !std::isfinite(share->fraction);
}

KubeletOrder Compared(const ThresholdValue& ours, const ThresholdValue& theirs,
                      const Capacity& capacity) {
  if (IsNever(theirs) || IsNever(ours)) return KubeletOrder::kAbove;
  bool is_above = false;
  if (ours.index() != theirs.index()) {
    if (!capacity) return KubeletOrder::kUnknown;
    is_above = QuantityOf(ours, *capacity) > QuantityOf(theirs, *capacity);
  } else if (const auto* share = std::get_if<Percentage>(&ours)) {
    is_above = share->fraction > std::get<Percentage>(theirs).fraction;
  } else {
    is_above = std::get<Quantity>(ours) > std::get<Quantity>(theirs);
  }
  return is_above ? KubeletOrder::kAbove : KubeletOrder::kNotAbove;
}

// Whether ours has to lie above the kubelet's.
bool AreCompared(const Threshold& ours, const Threshold& theirs) {
  return ours.signal == theirs.signal && (theirs.IsHard() || !ours.IsHard());
}

KubeletOrder OrderToOne(const Threshold& ours, const Threshold& theirs,
                        const SignalCapacities& capacities) {
  if (!theirs.IsHard() && ours.grace_period > theirs.grace_period) return KubeletOrder::kNotAbove;
  return Compared(ours.value, theirs.value, capacities[IndexOf(ours.signal)]);
}

std::string_view FieldOf(const Threshold& threshold) {
  return threshold.IsHard() ? "evictionHard" : "evictionSoft";
}

Fault FaultOf(const Threshold& ours, const Threshold& theirs, const Capacity& capacity) {
  const std::string_view signal = NameOf(ours.signal);
  if (Compared(ours.value, theirs.value, capacity) != KubeletOrder::kNotAbove) {
    return {.file = "",
            .key = fmt::format("evictionSoftGracePeriod[{}]", signal),
            .value = FormatDuration(ours.grace_period),
            .message = fmt::format(
                "must be at most {}, the value of the kubelet, or the kubelet evicts first",
                FormatDuration(theirs.grace_period))};
  }
  return {.file = "",
          .key = fmt::format("{}[{}]", FieldOf(ours), signal),
          .value = ThresholdText(ours.value),
          .message = fmt::format("must be more than {}, which is the kubelet's {}[{}], or the "
                                 "kubelet evicts first; {} leaves time enough",
                                 ThresholdText(theirs.value), FieldOf(theirs), signal,
                                 ThresholdText(WithMargin(theirs.signal, theirs.value)))};
}

// Whether the threshold is the copy of a hard threshold on memory, which needs no fault of its own.
bool IsCopy(const Threshold& threshold, const std::vector<Threshold>& all) {
  if (threshold.signal != Signal::kAllocatableMemoryAvailable || !threshold.IsHard()) return false;
  return std::ranges::any_of(all, [&](const Threshold& other) {
    return other.signal == Signal::kMemoryAvailable && other.IsHard() &&
           other.value == threshold.value;
  });
}

}  // namespace

KubeletOrder OrderOf(const Threshold& ours, const std::vector<Threshold>& theirs,
                     const SignalCapacities& capacities) {
  KubeletOrder order = KubeletOrder::kAbove;
  if (OwnSignalsOf(ours.signal) != nullptr) return order;
  for (const Threshold& other : theirs) {
    if (AreCompared(ours, other)) order = std::max(order, OrderToOne(ours, other, capacities));
  }
  return order;
}

Faults CheckAboveKubelet(const std::vector<Threshold>& ours, const std::vector<Threshold>& theirs,
                         const SignalCapacities& capacities) {
  Faults faults;
  for (const Threshold& threshold : ours) {
    if (IsCopy(threshold, ours)) continue;
    // One fault for each of ours: of two thresholds of the kubelet it names the soft one, which
    // demands more.
    const auto ahead = std::ranges::find_if(theirs.rbegin(), theirs.rend(), [&](const auto& other) {
      return AreCompared(threshold, other) &&
             OrderToOne(threshold, other, capacities) == KubeletOrder::kNotAbove;
    });
    if (ahead == theirs.rend()) continue;
    AddFault(faults, FaultOf(threshold, *ahead, capacities[IndexOf(threshold.signal)]));
  }
  return faults;
}

std::vector<Threshold> ThoseAboveKubelet(std::vector<Threshold> ours,
                                         const std::vector<Threshold>& theirs,
                                         const SignalCapacities& capacities) {
  std::erase_if(ours, [&](const Threshold& threshold) {
    return OrderOf(threshold, theirs, capacities) == KubeletOrder::kNotAbove;
  });
  return ours;
}

}  // namespace jettison
