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

constexpr std::array kHardFactors = {0.25, 0.5, 1.0, 2.0, 4.0, 8.0};
constexpr std::array kGraces = {Duration(seconds(30)), Duration(minutes(2))};
constexpr Duration kLeastGrace = seconds(5);
constexpr Duration kMostGrace = minutes(30);

std::int64_t BytesOf(const ThresholdValue& value, std::int64_t capacity) {
  return QuantityOf(value, capacity).Value();
}

// The lines that are new and allowed.
class NewLines {
 public:
  NewLines(std::span<const MemoryLines> tried, const LineBounds& bounds, std::size_t most)
      : tried_(tried), bounds_(bounds), most_(most) {}

  void Add(const MemoryLines& lines) {
    const bool known = std::ranges::find(tried_, lines) != tried_.end() ||
                       std::ranges::find(lines_, lines) != lines_.end();
    if (!known && lines_.size() < most_ && bounds_.Allow(lines)) lines_.push_back(lines);
  }
  [[nodiscard]] std::vector<MemoryLines> Take() { return std::move(lines_); }

 private:
  std::span<const MemoryLines> tried_;
  const LineBounds& bounds_;
  std::size_t most_;
  std::vector<MemoryLines> lines_;
};

MemoryLines WithHard(MemoryLines lines, double factor) {
  lines.hard = Scaled(lines.hard, factor);
  return lines;
}

void AddHardAndSoft(const MemoryLines& around, double step, NewLines& lines) {
  for (const double factor : {step, 1 / step}) {
    lines.Add(WithHard(around, factor));
    if (!around.soft) continue;
    MemoryLines other = around;
    other.soft->value = Scaled(around.soft->value, factor);
    lines.Add(other);
  }
}

void AddGracesAndReclaims(const MemoryLines& around, NewLines& lines) {
  if (around.soft) {
    for (const Duration grace : {around.soft->grace / 2, around.soft->grace * 2}) {
      MemoryLines other = around;
      other.soft->grace = std::clamp(grace, kLeastGrace, kMostGrace);
      lines.Add(other);
    }
  }
  const std::array<std::optional<ThresholdValue>, 3> reclaims = {
      std::nullopt, Scaled(around.hard, 0.5), Scaled(around.hard, 1)};
  for (const auto& reclaim : reclaims) {
    MemoryLines other = around;
    other.min_reclaim = reclaim;
    lines.Add(other);
  }
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

bool LineBounds::Allow(const MemoryLines& lines) const {
  const std::int64_t hard = BytesOf(lines.hard, capacity);
  if (hard < least_hard || hard > capacity / 4) return false;
  if (!lines.soft) return true;
  const std::int64_t soft = BytesOf(lines.soft->value, capacity);
  return soft > hard + hard / 16 && soft <= capacity / 2;
}

LineBounds BoundsFor(const MemoryLines& in_force, std::int64_t capacity) {
  return {.capacity = capacity,
          .least_hard = std::min({BytesOf(in_force.hard, capacity), kDefaultHard, capacity / 16})};
}

std::vector<MemoryLines> CoarseLines(const MemoryLines& in_force, const LineBounds& bounds) {
  NewLines lines({&in_force, 1}, bounds, static_cast<std::size_t>(-1));
  for (const double factor : kHardFactors) {
    MemoryLines each = in_force;
    if (factor != 1.0) each.hard = Scaled(in_force.hard, factor);
    lines.Add(each);
    each.soft = std::nullopt;
    lines.Add(each);
    for (const Duration grace : kGraces) {
      each.soft = MemoryLines::Soft{Scaled(each.hard, 2), grace};
      lines.Add(each);
    }
  }
  return lines.Take();
}

std::vector<MemoryLines> FinerLines(std::span<const MemoryLines> tried, const Choice& choice,
                                    const LineBounds& bounds, double factor, std::size_t most) {
  NewLines lines(tried, bounds, most);
  AddHardAndSoft(tried[choice.chosen], factor, lines);
  AddGracesAndReclaims(tried[choice.chosen], lines);
  for (const std::size_t each : choice.front) AddHardAndSoft(tried[each], factor, lines);
  return lines.Take();
}

}  // namespace jettison
