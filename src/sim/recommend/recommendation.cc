#include "sim/recommend/recommendation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <tuple>

#include "core/evaluate/evaluate.h"
#include "core/text/number.h"
#include "core/text/spelling.h"
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

// The value times the factor, rounded to what a person would write: two digits of a percentage, of
// MiB, or of KiB below 10Mi.
ThresholdValue Scaled(const ThresholdValue& value, double factor) {
  if (const auto* share = std::get_if<Percentage>(&value)) {
    const double percent = Rounded(static_cast<double>(share->fraction) * 100 * factor);
    return Percentage{static_cast<float>(percent / 100)};
  }
  return RoundedBytes(static_cast<double>(std::get<Quantity>(value).Value()) * factor);
}

// The thresholds on memory.available of a policy.
struct MemoryLines {
  struct Soft {
    ThresholdValue value;
    Duration grace{0};
    friend bool operator==(const Soft&, const Soft&) = default;
  };
  ThresholdValue hard;
  std::optional<Soft> soft;
  std::optional<ThresholdValue> min_reclaim;
  friend bool operator==(const MemoryLines&, const MemoryLines&) = default;
};

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

// The copy for allocatable memory has these lines too, where the policy has one.
PassPolicy WithLines(PassPolicy policy, const MemoryLines& lines) {
  auto& thresholds = policy.thresholds;
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

}  // namespace

std::vector<CandidatePolicy> GridAround(const PassPolicy& policy, std::int64_t capacity) {
  const MemoryLines in_force = LinesOf(policy);
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
  std::vector<CandidatePolicy> policies;
  for (const MemoryLines& lines : grid) {
    policies.push_back(
        {.name = LinesText(lines),
         .policy_for = [lines](const PassPolicy& recorded) { return WithLines(recorded, lines); }});
  }
  return policies;
}

namespace {

auto OrderOf(const PolicyCosts& costs) {
  return std::tuple(costs.IdleMilliGibHours(), costs.evictions, costs.oom_kills);
}

// Whether `a` is nowhere worse than `b` and somewhere better: in evictions, OOM kills and memory
// that was kept free.
bool Dominates(const PolicyCosts& a, const PolicyCosts& b) {
  return a.evictions <= b.evictions && a.oom_kills <= b.oom_kills &&
         a.IdleMilliGibHours() <= b.IdleMilliGibHours() && OrderOf(a) != OrderOf(b);
}

}  // namespace

std::vector<std::size_t> ParetoFront(std::span<const PolicyCosts> costs) {
  std::vector<std::size_t> front;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    bool stands = true;
    for (std::size_t j = 0; j < costs.size() && stands; ++j) {
      const bool same_before = j < i && OrderOf(costs[i]) == OrderOf(costs[j]);
      stands = !same_before && !Dominates(costs[j], costs[i]);
    }
    if (stands) front.push_back(i);
  }
  std::ranges::sort(front, {}, [&](std::size_t i) { return OrderOf(costs[i]); });
  return front;
}

namespace {

constexpr std::array<std::string_view, 3> kPriceNames = {"eviction", "oom", "idle-gib-hour"};
constexpr std::array kPrices = {&Prices::eviction, &Prices::oom_kill, &Prices::idle_gib_hour};

// Takes one "NAME=NUMBER". Returns its fault; empty: there is none.
std::string Take(std::string_view item, Prices& prices) {
  const std::string_view name = item.substr(0, item.find('='));
  const auto at = std::ranges::find(kPriceNames, name);
  if (at == kPriceNames.end()) {
    return fmt::format("--price {}: there is no such price; it has to be {}{}", item,
                       Alternatives(kPriceNames), DidYouMean(name, kPriceNames));
  }
  const auto value = ParseNumber<double>(item.substr(std::min(name.size() + 1, item.size())));
  if (!value || !std::isfinite(*value) || *value < 0) {
    return fmt::format("--price {}: {} must be a number, 0 or more", item, name);
  }
  prices.*kPrices[static_cast<std::size_t>(at - kPriceNames.begin())] = *value;
  return "";
}

}  // namespace

Result<Prices> ParsePrices(std::string_view text) {
  Prices prices;
  std::string faults;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string fault = Take(text.substr(0, comma), prices);
    if (!fault.empty()) faults += (faults.empty() ? "" : "\njettison: ") + fault;
    text = comma == std::string_view::npos ? "" : text.substr(comma + 1);
  }
  if (!faults.empty()) return Fail(ErrorCode::kInvalidArgument, faults);
  return prices;
}

std::string PricesText(const Prices& prices) {
  return fmt::format("eviction={},oom={},idle-gib-hour={}", prices.eviction, prices.oom_kill,
                     prices.idle_gib_hour);
}

double PriceOf(const PolicyCosts& costs, const Prices& prices) {
  return static_cast<double>(costs.evictions) * prices.eviction +
         static_cast<double>(costs.oom_kills) * prices.oom_kill +
         costs.IdleGibHours() * prices.idle_gib_hour;
}

namespace {

// Where only lines on memory are tried, what higher ones evict says nothing about lower ones, and
// evictions for a disk are the same under all of them.
bool WasShort(std::span<const PolicyCosts> costs, bool grid) {
  const PolicyCosts& in_force = costs.front();
  if (in_force.memory_evictions > 0 || in_force.oom_kills > 0) return true;
  return !grid && std::ranges::any_of(costs, [&](const PolicyCosts& each) {
    return each.evictions != in_force.evictions || each.oom_kills != in_force.oom_kills;
  });
}

}  // namespace

Choice Choose(std::span<const PolicyCosts> costs, const Prices& prices, bool grid, double error) {
  Choice choice{.front = ParetoFront(costs)};
  if (costs.empty()) return choice;
  if (!WasShort(costs, grid)) {
    choice.why = Choice::Why::kNoPressure;
    return choice;
  }
  const auto price = [&](const PolicyCosts& each) { return PriceOf(each, prices); };
  const auto best = std::ranges::min_element(costs, {}, price);
  if (price(costs.front()) - price(*best) > error) {
    choice.why = Choice::Why::kCheapest;
    choice.chosen = static_cast<std::size_t>(best - costs.begin());
  }
  return choice;
}

}  // namespace jettison
