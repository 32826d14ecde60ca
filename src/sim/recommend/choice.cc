#include "sim/recommend/choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <vector>

#include "core/text/number.h"
#include "core/text/spelling.h"

namespace jettison {
namespace {

auto OrderOf(const PolicyCosts& costs) {
  return std::tuple(costs.IdleMilliGibHours(), costs.evictions, costs.oom_kills);
}

}  // namespace

bool Dominates(const PolicyCosts& a, const PolicyCosts& b) {
  return a.evictions <= b.evictions && a.oom_kills <= b.oom_kills &&
         a.IdleMilliGibHours() <= b.IdleMilliGibHours() && OrderOf(a) != OrderOf(b);
}

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

bool IsWithin(const PolicyCosts& costs, const CostLimits& limits) {
  return costs.evictions <= limits.evictions.value_or(costs.evictions) &&
         costs.oom_kills <= limits.oom_kills.value_or(costs.oom_kills) &&
         costs.IdleGibHours() <= limits.idle_gib_hours.value_or(costs.IdleGibHours());
}

namespace {

// Where only lines on memory are tried, what higher ones evict says nothing about lower ones, and
// evictions for a disk are the same under all of them.
bool WasShort(std::span<const PolicyCosts> costs, TriedPolicies tried) {
  const PolicyCosts& in_force = costs.front();
  if (in_force.memory_evictions > 0 || in_force.oom_kills > 0) return true;
  return tried == TriedPolicies::kGiven && std::ranges::any_of(costs, [&](const PolicyCosts& each) {
           return each.evictions != in_force.evictions || each.oom_kills != in_force.oom_kills;
         });
}

}  // namespace

Choice Choose(std::span<const PolicyCosts> costs, const Prices& prices, const CostLimits& limits,
              TriedPolicies tried, double error) {
  Choice choice{.front = ParetoFront(costs)};
  if (!costs.empty() && IsWithin(costs.front(), limits) && !WasShort(costs, tried)) {
    choice.why = Choice::Why::kNoPressure;
    return choice;
  }
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (!IsWithin(costs[i], limits)) continue;
    if (!best || PriceOf(costs[i], prices) < PriceOf(costs[*best], prices)) best = i;
  }
  const bool is_told_apart =
      best && (!IsWithin(costs.front(), limits) ||
               PriceOf(costs.front(), prices) - PriceOf(costs[*best], prices) > error);
  if (!best) {
    choice.why = Choice::Why::kNoneWithinLimits;
  } else if (*best != 0 && is_told_apart) {
    choice.why = Choice::Why::kCheapest;
    choice.chosen = *best;
  }
  return choice;
}

}  // namespace jettison
