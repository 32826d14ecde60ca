#include "sim/recommend/choice.h"

#include <algorithm>

namespace jettison {
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

void FindNeighbours(std::span<const PolicyCosts> costs, Choice& choice) {
  const auto idle = [&](std::size_t i) { return costs[i].idle_milli_gib_hours; };
  for (const std::size_t each : choice.front) {
    if (each == choice.chosen) continue;
    if (idle(each) < idle(choice.chosen)) choice.less = each;
    if (idle(each) > idle(choice.chosen) && !choice.more) choice.more = each;
  }
}

}  // namespace

Choice Choose(std::span<const PolicyCosts> costs, const Prices& prices, const CostLimits& limits,
              TriedPolicies tried, double error) {
  Choice choice{.front = ParetoFront(costs), .less = {}, .more = {}};
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
  FindNeighbours(costs, choice);
  return choice;
}

std::optional<double> EvenIdlePrice(const PolicyCosts& a, const PolicyCosts& b,
                                    const Prices& prices) {
  const Prices harm{.eviction = prices.eviction, .oom_kill = prices.oom_kill, .idle_gib_hour = 0};
  const double idle = b.IdleGibHours() - a.IdleGibHours();
  if (idle == 0) return std::nullopt;
  const double price = (PriceOf(a, harm) - PriceOf(b, harm)) / idle;
  if (price <= 0) return std::nullopt;
  return price;
}

}  // namespace jettison
