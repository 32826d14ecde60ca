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
    kNoPressure,       // the one in force evicts and loses no pod for memory: nothing was short
    kNoneWithinLimits  // all of them exceed the limits: the one in force is kept
  };
  std::size_t chosen = 0;
  Why why = Why::kInForce;
  std::vector<std::size_t> front;   // as ParetoFront
  std::optional<std::size_t> less;  // on the front, the next one that keeps less memory free
  std::optional<std::size_t> more;  // ... and more
};

// The cheapest one within the limits. Of those that are equally cheap the first counts.
[[nodiscard]] Choice Choose(std::span<const PolicyCosts> costs, const Prices& prices,
                            const CostLimits& limits);

// At which price of a GiB hour both cost the same; absent: at none above zero.
[[nodiscard]] std::optional<double> EvenIdlePrice(const PolicyCosts& a, const PolicyCosts& b,
                                                  const Prices& prices);

}  // namespace jettison
