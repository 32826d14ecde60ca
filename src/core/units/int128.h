#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace jettison {

// A signed 128-bit integer: what amounts are computed in, so that 64-bit ones cannot overflow
// half-way. A compiler extension that GCC and Clang share.
__extension__ using Int128 = __int128;

// 10^0 .. 10^19, all that fit in 64 bits.
inline constexpr std::array<std::uint64_t, 20> kPowersOfTen = [] {
  std::array<std::uint64_t, 20> powers{};
  std::uint64_t power = 1;
  for (std::size_t i = 0; i < powers.size(); ++i) {
    powers[i] = power;
    if (i + 1 < powers.size()) power *= 10;
  }
  return powers;
}();

[[nodiscard]] constexpr bool FitsInt64(Int128 value) {
  return value == static_cast<Int128>(static_cast<std::int64_t>(value));
}

}  // namespace jettison
