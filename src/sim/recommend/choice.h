#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/recommend/policy_costs.h"
#include "sim/recommend/prices.h"

namespace jettison {

// The best of the tried policies, and its neighbours. The first policy is the one that was in
// force.
struct Choice {
  enum class Why : std::uint8_t {
    kCheapest,         // it has the least price
    kInForce,          // none is cheaper than the one that was in force
    kNoPressure,       // nothing was short, so what was tried cannot be told apart
    kNoneWithinLimits  // all of them exceed the limits: the one in force is kept
  };
  std::size_t chosen = 0;
  Why why = Why::kInForce;
  std::vector<std::size_t> front;   // as ParetoFront
  std::optional<std::size_t> less;  // on the front, the next one that keeps less memory free
  std::optional<std::size_t> more;  // ... and more
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

// At which price of a GiB hour both cost the same; absent: at none above zero.
[[nodiscard]] std::optional<double> EvenIdlePrice(const PolicyCosts& a, const PolicyCosts& b,
                                                  const Prices& prices);

}  // namespace jettison
