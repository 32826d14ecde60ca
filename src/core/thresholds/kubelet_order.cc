#include "core/thresholds/kubelet_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <variant>

#include "core/units/duration.h"

namespace jettison {
namespace {

// Percentages are written with at most four decimals, so that 10% plus 2 points is 12%.
constexpr double kStepsAPoint = 1e4;

double Rounded(double percent) {
  return std::round(percent * kStepsAPoint) / kStepsAPoint;
}

Percentage WithPoints(Percentage theirs, double points) {
  const double percent = Rounded(static_cast<double>(theirs.fraction) * 100);
  double ours = Rounded(percent + points);
  if (ours >= 100) ours = Rounded((percent + 100) / 2);
  // As ParseThresholds reads the text of it.
  return Percentage{static_cast<float>(ours) / 100};
}

// A share that is not a number is never met.
bool IsNever(const ThresholdValue& value) {
  const auto* share = std::get_if<Percentage>(&value);
  return share != nullptr && !std::isfinite(share->fraction);
}

std::string_view FieldOf(const Threshold& threshold) {
  return threshold.IsHard() ? "evictionHard" : "evictionSoft";
}

Fault FaultOf(const Threshold& ours, const Threshold& theirs,
              const std::optional<std::int64_t>& capacity) {
  const std::string_view signal = NameOf(ours.signal);
  if (!IsNotAbove(ours.value, theirs.value, capacity)) {
    return {"", fmt::format("evictionSoftGracePeriod[{}]", signal),
            FormatDuration(ours.grace_period),
            fmt::format("must be at most {}, the value of the kubelet, or the kubelet evicts first",
                        FormatDuration(theirs.grace_period))};
  }
  return {"", fmt::format("{}[{}]", FieldOf(ours), signal), ThresholdText(ours.value),
          fmt::format("must be more than {}, which is the kubelet's {}[{}], or the kubelet evicts "
                      "first; {} leaves time enough",
                      ThresholdText(theirs.value), FieldOf(theirs), signal,
                      ThresholdText(WithMargin(theirs.signal, theirs.value)))};
}

}  // namespace

bool IsNotAbove(const ThresholdValue& ours, const ThresholdValue& theirs,
                const std::optional<std::int64_t>& capacity) {
  if (IsNever(theirs) || IsNever(ours)) return false;
  if (ours.index() != theirs.index()) {
    return capacity && !(QuantityOf(ours, *capacity) > QuantityOf(theirs, *capacity));
  }
  if (const auto* share = std::get_if<Percentage>(&ours)) {
    return share->fraction <= std::get<Percentage>(theirs).fraction;
  }
  return !(std::get<Quantity>(ours) > std::get<Quantity>(theirs));
}

ThresholdValue WithMargin(Signal signal, const ThresholdValue& theirs) {
  const ResourceRow& row = RowOf(ResourceOf(signal));
  if (const auto* amount = std::get_if<Quantity>(&theirs)) {
    return *amount + Quantity::Of(row.margin, row.format);
  }
  return WithPoints(std::get<Percentage>(theirs), row.margin_points);
}

Threshold KubeletsDefaultMemory() {
  return {.signal = Signal::kMemoryAvailable,
          .value = *Quantity::Parse(DefaultEvictionHard().at("memory.available"))};
}

EvictionSettings SettingsAbove(std::vector<Threshold> theirs) {
  if (const auto copy = CopyForPods(theirs)) {
    theirs.erase(theirs.begin() + static_cast<std::ptrdiff_t>(*copy));
  }
  // Before it evicts for a disk, the kubelet removes images and dead containers, which only it can
  // do. A threshold above the kubelet's would evict pods for space that it is about to free.
  std::erase_if(theirs, [](const Threshold& threshold) {
    return IsOfDisk(threshold.signal) || IsNever(threshold.value);
  });
  for (Threshold& threshold : theirs) {
    if (RowOf(threshold.signal).of_pods) continue;
    threshold.value = WithMargin(threshold.signal, threshold.value);
  }
  return SettingsOf(theirs);
}

Faults CheckAboveKubelet(const std::vector<Threshold>& ours, const std::vector<Threshold>& theirs,
                         const SignalCapacities& capacities) {
  Faults faults;
  for (const Threshold& threshold : ours) {
    const auto& capacity = capacities[IndexOf(threshold.signal)];
    // One fault for each of ours: of two thresholds of the kubelet it names the soft one, which
    // demands more.
    const auto ahead = std::ranges::find_if(theirs.rbegin(), theirs.rend(), [&](const auto& other) {
      const bool is_later = !other.IsHard() && threshold.grace_period > other.grace_period;
      const bool is_theirs = RowOf(threshold.signal).of_pods && threshold.value == other.value;
      return other.signal == threshold.signal && !is_theirs &&
             (other.IsHard() || !threshold.IsHard()) &&
             (is_later || IsNotAbove(threshold.value, other.value, capacity));
    });
    if (ahead == theirs.rend()) continue;
    AddFault(faults, FaultOf(threshold, *ahead, capacity));
  }
  return faults;
}

std::vector<Threshold> WithKubeletLines(std::vector<Threshold> ours,
                                        const std::vector<Threshold>& theirs) {
  if (const auto copy = CopyForPods(ours)) {
    const auto place = ours.begin() + static_cast<std::ptrdiff_t>(*copy);
    if (const auto kubelets = CopyForPods(theirs)) {
      place->value = theirs[*kubelets].value;
    } else {
      ours.erase(place);
    }
  }
  for (Threshold& threshold : ours) {
    if (!RowOf(threshold.signal).of_kubelet) continue;
    const Threshold* line = &threshold;
    for (const Threshold& other : theirs) {
      if (other.signal != threshold.signal || IsNever(other.value)) continue;
      if (line == &threshold || other.IsHard() == threshold.IsHard()) line = &other;
    }
    threshold.kubelet = KubeletLine{.value = line->value, .grace_period = line->grace_period};
  }
  return ours;
}

std::vector<Threshold> KubeletThresholdsOf(const std::vector<Threshold>& ours) {
  std::vector<Threshold> theirs;
  for (const Threshold& threshold : ours) {
    if (!threshold.kubelet) continue;
    const Threshold line{.signal = threshold.signal,
                         .value = threshold.kubelet->value,
                         .grace_period = threshold.kubelet->grace_period};
    const bool is_known = std::ranges::any_of(theirs, [&line](const Threshold& other) {
      return other.signal == line.signal && other.IsHard() == line.IsHard();
    });
    if (!is_known) theirs.push_back(line);
  }
  return theirs;
}

}  // namespace jettison
