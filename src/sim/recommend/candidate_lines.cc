#include "sim/recommend/candidate_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>

#include "core/evaluate/evaluate.h"
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

using std::chrono::minutes;
using std::chrono::seconds;

// Halves of an octave around the hard line in force.
constexpr int kLeastStep = -4;
constexpr int kMostStep = 6;
constexpr std::array kSoftFactors = {2.0, 3.0};
constexpr std::array kGraces = {Duration(seconds(30)), Duration(minutes(2))};

std::int64_t BytesOf(const ThresholdValue& value, std::int64_t capacity) {
  return QuantityOf(value, capacity).Value();
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

std::vector<MemoryLines> GridAround(const MemoryLines& in_force, std::int64_t capacity) {
  const std::int64_t least_hard =
      std::min({BytesOf(in_force.hard, capacity), kDefaultHard, capacity / 16});
  std::vector<MemoryLines> grid;
  const auto add = [&](const MemoryLines& lines) {
    const std::int64_t hard = BytesOf(lines.hard, capacity);
    if (hard < least_hard || hard > capacity / 4) return;
    const std::int64_t soft = lines.soft ? BytesOf(lines.soft->value, capacity) : capacity / 2;
    if (soft <= hard + hard / 16 || soft > capacity / 2) return;
    const bool is_known = lines == in_force || std::ranges::find(grid, lines) != grid.end();
    if (!is_known) grid.push_back(lines);
  };
  for (int step = kLeastStep; step <= kMostStep; ++step) {
    MemoryLines each = in_force;
    if (step != 0) each.hard = Scaled(in_force.hard, std::exp2(step / 2.0));
    add(each);
    each.soft = std::nullopt;
    add(each);
    MemoryLines with_reclaim = each;
    with_reclaim.min_reclaim = Scaled(each.hard, 0.5);
    add(with_reclaim);
    for (const double factor : kSoftFactors) {
      for (const Duration grace : kGraces) {
        each.soft = MemoryLines::Soft{Scaled(each.hard, factor), grace};
        add(each);
      }
    }
  }
  return grid;
}

}  // namespace jettison
