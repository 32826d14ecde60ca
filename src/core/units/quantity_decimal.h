#pragma once

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/units/quantity.h"

namespace jettison {

// An integer of any size. Only the files that implement Quantity include this header.
using BigInt = boost::multiprecision::cpp_int;

struct Quantity::Rare {
  BigInt digits;     // of Form::kLarge, otherwise zero
  std::string text;  // as it was parsed, where Kubernetes keeps that and it is not canonical
};

// digits * 10^scale: Kubernetes' inf.Dec, whose own scale has the opposite sign.
struct Quantity::Decimal {
  BigInt digits;
  std::int32_t scale = 0;
};

// 2^127 - 1. Its negative is the least value held inline, so that negation never overflows.
inline constexpr Int128 kMaxInt128 = ((static_cast<Int128>(1) << 126) - 1) * 2 + 1;

// value * 10^power, or nothing where that leaves +-kMaxInt128. A power below zero counts as zero.
[[nodiscard]] inline std::optional<Int128> TimesPowerOfTen(Int128 value, std::int64_t power) {
  constexpr auto kStep = static_cast<std::int64_t>(kPowersOfTen.size()) - 1;
  for (; power > 0 && value != 0; power -= kStep) {
    const auto factor =
        static_cast<Int128>(kPowersOfTen[static_cast<std::size_t>(std::min(power, kStep))]);
    // The division is slow, and 64-bit values times 64-bit powers need no check.
    if (!FitsInt64(value) && (value > kMaxInt128 / factor || value < -kMaxInt128 / factor)) {
      return std::nullopt;
    }
    value *= factor;
  }
  return value;
}

[[nodiscard]] inline BigInt PowerOfTen(std::uint32_t exponent) {
  return boost::multiprecision::pow(BigInt(10), exponent);
}

// The low 64 bits of the magnitude, with the sign put back on: Go's big.Int.Int64().
[[nodiscard]] inline std::int64_t Low64(const BigInt& digits) {
  const BigInt low = abs(digits) & BigInt(~std::uint64_t{0});
  const auto bits = static_cast<std::uint64_t>(low);
  return static_cast<std::int64_t>(digits < 0 ? 0 - bits : bits);
}

}  // namespace jettison
