#include "core/thresholds/threshold_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "core/model/pressure.h"

namespace jettison {
namespace {

constexpr int kEnoughDigits = std::numeric_limits<float>::max_digits10;

// Whether the text before the % is parsed as this share.
bool Reads(const std::string& text, float fraction) {
  const auto number = ParseGoFloat32(text);
  return number && *number / 100 == fraction;
}

std::string PercentText(float fraction) {
  const double percent = static_cast<double>(fraction) * 100;
  for (int digits = 1; digits <= kEnoughDigits; ++digits) {
    const std::string text = fmt::format("{:.{}g}", percent, digits);
    const bool plain = text.find('e') == std::string::npos;
    if (plain && Reads(text, fraction)) return text;
  }
  // The division by 100 rounds, so the number may have been a neighbour.
  const auto nearest = static_cast<float>(percent);
  for (const float end : {nearest, 0.0F, std::numeric_limits<float>::infinity()}) {
    const std::string text = fmt::format("{}", std::nextafter(nearest, end));
    if (Reads(text, fraction)) return text;
  }
  return fmt::format("{}", nearest);
}

bool IsHardOnMemory(const Threshold& threshold) {
  return threshold.signal == Signal::kMemoryAvailable && threshold.IsHard();
}

}  // namespace

std::string ThresholdText(const ThresholdValue& value) {
  if (const auto* amount = std::get_if<Quantity>(&value)) return amount->ToString();
  return PercentText(std::get<Percentage>(value).fraction) + "%";
}

std::string ThresholdText(Signal signal, const ThresholdValue& value) {
  const auto* amount = std::get_if<Quantity>(&value);
  const bool is_share = amount != nullptr && IsPressure(signal);
  return is_share ? ShareText(LostOf(*amount)) : ThresholdText(value);
}

EvictionSettings SettingsOf(const std::vector<Threshold>& thresholds, const SignalMaps& maps) {
  EvictionSettings settings;
  const auto copy = CopyForPods(thresholds);
  settings.enforce_pods = copy.has_value();
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    const Threshold& threshold = thresholds[i];
    if (i == copy || std::ranges::find(maps.signals, threshold.signal) == maps.signals.end()) {
      continue;
    }
    const std::string signal(NameOf(threshold.signal));
    // A soft threshold without a grace period acts like a hard one.
    if (threshold.IsHard() && !settings.hard.contains(signal)) {
      settings.hard[signal] = ThresholdText(threshold.signal, threshold.value);
    } else {
      settings.soft[signal] = ThresholdText(threshold.signal, threshold.value);
      settings.soft_grace_period[signal] = FormatDuration(threshold.grace_period);
    }
    if (threshold.min_reclaim) {
      settings.minimum_reclaim[signal] = ThresholdText(*threshold.min_reclaim);
    }
  }
  return settings;
}

std::optional<std::size_t> CopyForPods(const std::vector<Threshold>& thresholds) {
  const auto hard = std::ranges::find_if(thresholds, IsHardOnMemory);
  if (hard == thresholds.end()) return std::nullopt;
  // Copies come after what was configured.
  for (std::size_t i = thresholds.size(); i-- > 0;) {
    const Threshold& copy = thresholds[i];
    if (RowOf(copy.signal).of_pods && copy.IsHard() && copy.value == hard->value &&
        copy.min_reclaim == hard->min_reclaim) {
      return i;
    }
  }
  return std::nullopt;
}

std::vector<Threshold> WithCopyForPods(std::vector<Threshold> thresholds) {
  std::vector<Threshold> copies;
  std::ranges::copy_if(thresholds, std::back_inserter(copies), IsHardOnMemory);
  for (Threshold& copy : copies) copy.signal = Signal::kAllocatableMemoryAvailable;
  const auto first_of_ours = std::ranges::find_if_not(
      thresholds, [](const Threshold& threshold) { return RowOf(threshold.signal).of_kubelet; });
  thresholds.insert(first_of_ours, copies.begin(), copies.end());
  return thresholds;
}

Faults CheckAlwaysMet(const std::vector<Threshold>& thresholds,
                      const SignalCapacities& capacities) {
  Faults faults;
  for (const Threshold& threshold : thresholds) {
    const auto& capacity = capacities[IndexOf(threshold.signal)];
    if (!RowOf(threshold.signal).of_kubelet || !capacity) continue;
    const auto add = [&](std::string_view field, const ThresholdValue& of, std::string message) {
      AddFault(faults, {"", fmt::format("{}[{}]", field, NameOf(threshold.signal)),
                        ThresholdText(of), std::move(message)});
    };
    const Quantity value = QuantityOf(threshold.value, *capacity);
    const std::string whole = Quantity::Of(*capacity, value.format()).ToString();
    if (IsAlwaysMet(threshold, *capacity)) {
      add(threshold.IsHard() ? "evictionHard" : "evictionSoft", threshold.value,
          fmt::format("is not below {}, the capacity of this node, so it is always met; {}", whole,
                      threshold.kubelet
                          ? "it never acts, and only the kubelet evicts for this signal"
                          : "every pod that may be evicted is evicted for it"));
    } else if (threshold.min_reclaim &&
               value + QuantityOf(*threshold.min_reclaim, *capacity) > Quantity::Of(*capacity)) {
      add("evictionMinimumReclaim", *threshold.min_reclaim,
          fmt::format("lies with the threshold of {} above {}, the capacity of this node, so a "
                      "threshold that was met once stays met",
                      ThresholdText(threshold.value), whole));
    }
  }
  return faults;
}

Signal ContainerFsSource(Signal signal, DiskLayout layout) {
  if (RowOf(signal).disk != FileSystem::kContainer) return signal;
  const bool as_image_fs = layout.dedicated_image_fs && !layout.dedicated_container_fs;
  return OnFileSystem(as_image_fs ? FileSystem::kImage : FileSystem::kNode, signal);
}

std::vector<Threshold> ThresholdsFor(const std::vector<Threshold>& configured,
                                     const std::optional<DiskLayout>& layout) {
  std::vector<Threshold> effective;
  effective.reserve(configured.size() + 4);
  for (const Threshold& threshold : configured) {
    const auto disk = RowOf(threshold.signal).disk;
    if (disk == FileSystem::kContainer) continue;
    if (layout || disk != FileSystem::kImage) effective.push_back(threshold);
  }
  for (const Signal signal : kAllSignals) {
    if (RowOf(signal).disk != FileSystem::kContainer) continue;
    for (const bool hard : {true, false}) {
      const Signal from = ContainerFsSource(signal, layout.value_or(DiskLayout{}));
      // A soft one without grace period counts as hard; the last one holds.
      const auto source =
          std::find_if(configured.rbegin(), configured.rend(), [&](const Threshold& threshold) {
            return threshold.signal == from && threshold.IsHard() == hard;
          });
      if (source == configured.rend()) continue;
      effective.push_back(*source);
      effective.back().signal = signal;
    }
  }
  return effective;
}

}  // namespace jettison
