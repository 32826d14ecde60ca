#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/units/result.h"
#include "sim/recommend/policy_costs.h"

namespace jettison {

// What each kind of harm is worth, in any one currency: only their ratios decide.
struct Prices {
  double eviction = 1;
  double oom_kill = 10;
  double idle_gib_hour = 0.01;  // of memory that was kept free
};

// Parses "eviction=1,oom=10,idle-gib-hour=0.01"; what is not named keeps its default. Fails with
// every fault, a line each.
[[nodiscard]] Result<Prices> ParsePrices(std::string_view text);
// The same as text.
[[nodiscard]] std::string PricesText(const Prices& prices);

[[nodiscard]] double PriceOf(const PolicyCosts& costs, const Prices& prices);

// What a policy must not exceed to be chosen; absent: anything.
struct CostLimits {
  std::optional<std::uint64_t> evictions;
  std::optional<std::uint64_t> oom_kills;
  std::optional<double> idle_gib_hours;
};
[[nodiscard]] bool IsWithin(const PolicyCosts& costs, const CostLimits& limits);

}  // namespace jettison
