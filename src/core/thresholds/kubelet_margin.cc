#include "core/thresholds/kubelet_margin.h"

#include <cmath>
#include <string>
#include <variant>
#include <vector>

#include "core/thresholds/threshold_settings.h"
#include "core/units/duration.h"

namespace jettison {
namespace {

constexpr std::int64_t kMi = std::int64_t{1} << 20;
constexpr std::int64_t kGi = std::int64_t{1} << 30;

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

// Before it evicts for a disk, the kubelet removes images and dead containers, which only it can
// do. A threshold above the kubelet's would evict pods for space that the kubelet is about to free.
bool IsLeftToTheKubelet(Signal signal) {
  const Resource resource = ResourceOf(signal);
  return resource == Resource::kEphemeralStorage || resource == Resource::kInodes;
}

bool IsFollowed(const Threshold& threshold) {
  if (IsLeftToTheKubelet(threshold.signal)) return false;
  const auto* share = std::get_if<Percentage>(&threshold.value);
  return share == nullptr || std::isfinite(share->fraction);
}

std::vector<Threshold> FollowedOf(const EvictionSettings& settings) {
  std::vector<Threshold> thresholds = ParseThresholds(settings).thresholds;
  std::erase_if(thresholds, [](const Threshold& threshold) { return !IsFollowed(threshold); });
  return thresholds;
}

}  // namespace

Margin MarginOf(Signal signal) {
  switch (ResourceOf(signal)) {
    case Resource::kMemory: return {.amount = Quantity::Of(256 * kMi), .percent_points = 2};
    case Resource::kEphemeralStorage: return {.amount = Quantity::Of(kGi), .percent_points = 2};
    case Resource::kInodes:
      return {.amount = Quantity::Of(100'000, QuantityFormat::kDecimalSI), .percent_points = 1};
    case Resource::kPids:
      return {.amount = Quantity::Of(500, QuantityFormat::kDecimalSI), .percent_points = 1};
    case Resource::kSwap:
    case Resource::kIo: break;
  }
  return {};
}

ThresholdValue WithMargin(Signal signal, const ThresholdValue& theirs) {
  const Margin margin = MarginOf(signal);
  if (const auto* amount = std::get_if<Quantity>(&theirs)) return *amount + margin.amount;
  return WithPoints(std::get<Percentage>(theirs), margin.percent_points);
}

ThresholdValue DefaultMemoryThreshold() {
  return WithMargin(Signal::kMemoryAvailable, KubeletsDefaultMemory().value);
}

Threshold KubeletsDefaultMemory() {
  return {.signal = Signal::kMemoryAvailable,
          .value = *Quantity::Parse(DefaultEvictionHard().at("memory.available"))};
}

EvictionSettings SettingsAbove(const EvictionSettings& theirs) {
  EvictionSettings ours;
  ours.enforce_pods = theirs.enforce_pods;
  const auto text = [](const Threshold& threshold) {
    const bool of_all_pods = threshold.signal == Signal::kAllocatableMemoryAvailable;
    return ThresholdText(of_all_pods ? threshold.value
                                     : WithMargin(threshold.signal, threshold.value));
  };
  EvictionSettings hard;
  hard.hard = theirs.hard;
  for (const Threshold& threshold : FollowedOf(hard)) {
    ours.hard.emplace(NameOf(threshold.signal), text(threshold));
  }
  EvictionSettings soft;
  soft.soft = theirs.soft;
  soft.soft_grace_period = theirs.soft_grace_period;
  for (const Threshold& threshold : FollowedOf(soft)) {
    const std::string name(NameOf(threshold.signal));
    ours.soft.emplace(name, text(threshold));
    ours.soft_grace_period.emplace(name, FormatDuration(threshold.grace_period));
  }
  return ours;
}

}  // namespace jettison
