#pragma once

#include <cstdint>

#include "core/units/quantity_decimal.h"

namespace jettison {

// value * 10^places in whole units, as int64Amount.AsScaledInt64 has it (1.36), rounded away from
// zero; what overflows is lost as it is in Kubernetes.
[[nodiscard]] std::int64_t ScaledInt64(std::int64_t value, std::int64_t places);
// digits * 10^places in whole units, as resource.scaledValue has it (1.36).
[[nodiscard]] std::int64_t ScaledDecimal(const BigInt& digits, std::int64_t places);
// digits / 10^places, rounded away from zero.
[[nodiscard]] BigInt DividedByPowerOfTen(const BigInt& digits, std::uint32_t places);

}  // namespace jettison
