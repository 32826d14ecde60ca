#include "sim/recommend/memory_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/thresholds/threshold_settings.h"

namespace jettison {
namespace {

constexpr std::int64_t kKib = 1024;
constexpr std::int64_t kMib = kKib * 1024;
constexpr std::int64_t kDefaultHard = 100 * kMib;

// With two significant digits.
double Rounded(double value) {
  if (value <= 0) return 0;
  const double step = std::pow(10.0, std::floor(std::log10(value)) - 1);
  return std::round(value / step) * step;
}

Quantity RoundedBytes(double bytes) {
  const std::int64_t unit = bytes < static_cast<double>(10 * kMib) ? kKib : kMib;
  const auto units = std::llround(Rounded(bytes / static_cast<double>(unit)));
  return Quantity::Of(std::max<std::int64_t>(units, 1) * unit);
}

bool IsOf(const Threshold& threshold, bool hard) {
  return threshold.signal == Signal::kMemoryAvailable && threshold.IsHard() == hard;
}

}  // namespace

MemoryLines LinesOf(const PassPolicy& policy) {
  MemoryLines lines{.hard = Quantity::Of(kDefaultHard)};
  for (const Threshold& threshold : policy.thresholds) {
    if (threshold.signal != Signal::kMemoryAvailable) continue;
    if (threshold.IsHard()) {
      lines.hard = threshold.value;
    } else {
      lines.soft = MemoryLines::Soft{threshold.value, threshold.grace_period};
    }
    if (threshold.min_reclaim) lines.min_reclaim = threshold.min_reclaim;
  }
  return lines;
}

PassPolicy WithLines(PassPolicy policy, const MemoryLines& lines) {
  auto& thresholds = policy.thresholds;
  // The copy for the pods together changes with what it is a copy of.
  if (const auto copy = CopyForPods(thresholds)) {
    thresholds[*copy].value = lines.hard;
    thresholds[*copy].min_reclaim = lines.min_reclaim;
  }
  std::erase_if(thresholds, [](const Threshold& each) { return IsOf(each, false); });
  auto hard = std::ranges::find_if(thresholds, [](const Threshold& t) { return IsOf(t, true); });
  if (hard == thresholds.end()) {
    hard = thresholds.insert(thresholds.begin(), {.signal = Signal::kMemoryAvailable});
  }
  hard->value = lines.hard;
  hard->min_reclaim = lines.min_reclaim;
  if (lines.soft) {
    thresholds.insert(hard + 1, {.signal = Signal::kMemoryAvailable,
                                 .value = lines.soft->value,
                                 .grace_period = lines.soft->grace,
                                 .min_reclaim = lines.min_reclaim});
  }
  return policy;
}

std::string LinesText(const MemoryLines& lines) {
  std::string text = "hard " + ThresholdText(lines.hard);
  if (lines.soft) {
    text += fmt::format(", soft {} for {}", ThresholdText(lines.soft->value),
                        FormatDuration(lines.soft->grace));
  }
  if (lines.min_reclaim) text += ", reclaim " + ThresholdText(*lines.min_reclaim);
  return text;
}

ThresholdValue Scaled(const ThresholdValue& value, double factor) {
  if (const auto* share = std::get_if<Percentage>(&value)) {
    const double percent = Rounded(static_cast<double>(share->fraction) * 100 * factor);
    return Percentage{static_cast<float>(percent / 100)};
  }
  return RoundedBytes(static_cast<double>(std::get<Quantity>(value).Value()) * factor);
}

}  // namespace jettison
