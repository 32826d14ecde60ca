#include "core/model/threshold.h"

#include <limits>

namespace jettison {
namespace {

// The kubelet's rounding, step for step: 32-bit fraction, 64-bit product, truncation. Shares that
// do not fit, including infinite and undefined ones, become the smallest integer, as in the kubelet
// on amd64.
std::int64_t ShareOf(Percentage percentage, std::int64_t capacity) {
  constexpr double kTooLarge = 9223372036854775808.0;
  const double share = static_cast<double>(capacity) * static_cast<double>(percentage.fraction);
  if (share >= -kTooLarge && share < kTooLarge) return static_cast<std::int64_t>(share);
  return std::numeric_limits<std::int64_t>::min();
}

}  // namespace

Quantity QuantityOf(const ThresholdValue& value, std::int64_t capacity) {
  if (const auto* percentage = std::get_if<Percentage>(&value)) {
    return Quantity::Of(ShareOf(*percentage, capacity), QuantityFormat::kBinarySI);
  }
  return std::get<Quantity>(value);
}

bool IsAlwaysMet(const Threshold& threshold, std::int64_t capacity) {
  return !(QuantityOf(threshold.value, capacity) < Quantity::Of(capacity));
}

}  // namespace jettison
