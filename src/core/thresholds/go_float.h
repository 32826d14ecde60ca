#pragma once

#include <optional>
#include <string_view>

namespace jettison {

// Go's strconv.ParseFloat(text, 32): decimal ("1e1", ".5", "1_0"), hexadecimal ("0x1p-2"), "Inf"
// and "NaN", rounded to the nearest 32-bit float. Absent where Go reports an error: bad syntax, or
// a number too large.
[[nodiscard]] std::optional<float> ParseGoFloat32(std::string_view text);

}  // namespace jettison
