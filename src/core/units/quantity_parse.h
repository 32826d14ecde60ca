#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

#include "core/units/quantity.h"
#include "core/units/quantity_decimal.h"
#include "core/units/result.h"

namespace jettison {

// The text of a quantity as Kubernetes understands it: digits * 10^scale.
struct ParsedQuantity {
  std::variant<Int128, BigInt> digits;  // Kubernetes' int64Amount, or its inf.Dec
  std::int32_t scale = 0;
  QuantityFormat format = QuantityFormat::kDecimalSI;
  std::string_view text;  // where Kubernetes keeps it and it is not canonical; else empty
};

// Fails on what Kubernetes refuses; rounds up below one billionth and caps as Kubernetes does.
[[nodiscard]] Result<ParsedQuantity> ParseQuantity(std::string_view text);

}  // namespace jettison
