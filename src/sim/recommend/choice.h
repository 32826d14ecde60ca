#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/result.h"
#include "sim/report/simulation_report.h"

namespace jettison {

// Whether `a` is nowhere worse than `b` and somewhere better: in evictions, OOM kills and memory
// that was kept free.
[[nodiscard]] bool Dominates(const PolicyCosts& a, const PolicyCosts& b);

// The places of those that no other one dominates. Of those that cost the same the first counts
// alone. By memory kept free, then by evictions, then by OOM kills, the least first.
[[nodiscard]] std::vector<std::size_t> ParetoFront(std::span<const PolicyCosts> costs);

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

// The best of the tried policies. The first policy is the one that was in force.
struct Choice {
  enum class Why : std::uint8_t {
    kCheapest,         // it has the least price
    kInForce,          // none is cheaper than the one that was in force
    kNoPressure,       // nothing was short, so what was tried cannot be told apart
    kNoneWithinLimits  // all of them exceed the limits: the one in force is kept
  };
  std::size_t chosen = 0;
  Why why = Why::kInForce;
  std::vector<std::size_t> front;  // as ParetoFront
};

// What the policies differ in.
enum class TriedPolicies : std::uint8_t {
  kMemoryLines,  // thresholds on memory alone, made around those in force
  kGiven,        // whatever the user gave
};

// The cheapest one within the limits. Of those that are equally cheap the first counts. One that is
// cheaper than the one in force by no more than `error` cannot be told from it. While the
// one in force keeps to the limits, another one is chosen only where something was short: it
// evicts or loses a pod for memory, or policies that were given differ in evictions or OOM kills.
[[nodiscard]] Choice Choose(std::span<const PolicyCosts> costs, const Prices& prices,
                            const CostLimits& limits,
                            TriedPolicies tried = TriedPolicies::kMemoryLines, double error = 0);

}  // namespace jettison
