#include "core/units/quantity_format.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

namespace jettison {

namespace {

// Digits without their factors of some base, and how many of those there were.
struct Stripped {
  BigInt digits;
  std::int32_t times = 0;
};

Stripped WithoutFactors(BigInt digits, unsigned base) {
  Stripped stripped{std::move(digits), 0};
  BigInt quotient;
  BigInt remainder;
  while (true) {
    divide_qr(stripped.digits, BigInt(base), quotient, remainder);
    if (remainder != 0) return stripped;
    stripped.digits.swap(quotient);
    ++stripped.times;
  }
}

std::string_view BinarySuffixOf(std::int32_t times) {
  constexpr std::array<std::string_view, 7> kSuffixes = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  const auto index = static_cast<std::size_t>(times);
  return index < kSuffixes.size() ? kSuffixes[index] : "";
}

// `exponent` is a multiple of three.
std::string_view DecimalSuffixOf(std::int32_t exponent) {
  constexpr std::array<std::string_view, 10> kSuffixes = {"n", "u", "m", "",  "k",
                                                          "M", "G", "T", "P", "E"};
  const auto index = static_cast<std::size_t>((exponent + 9) / 3);
  return exponent >= -9 && index < kSuffixes.size() ? kSuffixes[index] : "";
}

std::string InBinary(BigInt whole) {
  const Stripped stripped = WithoutFactors(std::move(whole), 1024);
  return stripped.digits.str().append(BinarySuffixOf(stripped.times));
}

// The largest exponent that leaves whole digits, brought down to a multiple of three.
std::string InDecimal(BigInt digits, std::int32_t scale, QuantityFormat format) {
  Stripped stripped = WithoutFactors(std::move(digits), 10);
  std::int32_t exponent = scale + stripped.times;
  for (; exponent % 3 != 0; --exponent) stripped.digits *= 10;
  std::string text = stripped.digits.str();
  if (format == QuantityFormat::kDecimalSI) return text.append(DecimalSuffixOf(exponent));
  return exponent == 0 ? text : text.append(fmt::format("e{}", exponent));
}

}  // namespace

std::string TextOfAmount(BigInt digits, std::int32_t scale, QuantityFormat format) {
  if (format != QuantityFormat::kBinarySI) return InDecimal(std::move(digits), scale, format);
  // A binary suffix is only used for whole numbers from 1024 on; others are decimal.
  const BigInt divisor = PowerOfTen(static_cast<std::uint32_t>(scale < 0 ? -scale : 0));
  if (digits % divisor != 0 || abs(digits) < 1024 * divisor) {
    return InDecimal(std::move(digits), scale, QuantityFormat::kDecimalSI);
  }
  const BigInt factor = PowerOfTen(static_cast<std::uint32_t>(scale > 0 ? scale : 0));
  return InBinary(digits / divisor * factor);
}

}  // namespace jettison
