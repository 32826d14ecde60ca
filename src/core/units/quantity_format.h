#pragma once

#include <cstdint>
#include <string>

#include "core/units/quantity.h"
#include "core/units/quantity_decimal.h"

namespace jettison {

// The canonical text of digits * 10^scale, which is not zero.
[[nodiscard]] std::string TextOfAmount(BigInt digits, std::int32_t scale, QuantityFormat format);

}  // namespace jettison
