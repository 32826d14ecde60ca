#include "core/units/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace jettison {
namespace {

constexpr Int128 kMostWhole = ~(Int128{1} << 127) - 1;

std::int64_t PowerOfTen(int power) {
  return static_cast<std::int64_t>(kPowersOfTen[static_cast<std::size_t>(power)]);
}

Int128 DividedByPowerOfTen(Int128 value, int power) {
  constexpr int kStep = 18;
  for (; power > kStep; power -= kStep) value /= PowerOfTen(kStep);
  return value / PowerOfTen(power);
}

// Go's multiplication: overflowing bits are lost.
std::int64_t WrappingProduct(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

// value * 10^places as in int64Amount.AsScaledInt64 (1.36). If the product overflows, it wraps
// around for the powers by which Kubernetes multiplies in one step, and is zero for the others.
std::int64_t ScaledUp(std::int64_t value, int places) {
  const bool at_once = places <= 3 || places == 6 || places == 9;
  if (at_once && value != INT64_MIN) return WrappingProduct(value, PowerOfTen(places));
  if (places > 18) return 0;
  const Int128 product = Int128{value} * PowerOfTen(places);
  return FitsInt64(product) ? static_cast<std::int64_t>(product) : 0;
}

// The number that the digits are, with the suffix of the largest power of a thousand that leaves it
// whole. `digits` counts in 10^exponent, and is not zero.
std::string InDecimal(std::string digits, int exponent, QuantityFormat format) {
  constexpr std::array<std::string_view, 10> kSuffixes = {"n", "u", "m", "",  "k",
                                                          "M", "G", "T", "P", "E"};
  const std::size_t end = digits.find_last_not_of('0') + 1;
  exponent += static_cast<int>(digits.size() - end);
  digits.resize(end);
  for (; exponent % 3 != 0; --exponent) digits += '0';
  if (format != QuantityFormat::kDecimalSI) {
    return exponent == 0 ? digits : fmt::format("{}e{}", digits, exponent);
  }
  const auto index = static_cast<std::size_t>((exponent + 9) / 3);
  return index < kSuffixes.size() ? digits.append(kSuffixes[index]) : digits;
}

std::string InBinary(Int128 whole) {
  constexpr std::array<std::string_view, 7> kSuffixes = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  std::size_t times = 0;
  for (; whole % 1024 == 0; whole /= 1024) ++times;
  return fmt::format("{}{}", whole, times < kSuffixes.size() ? kSuffixes[times] : "");
}

std::string TextOf(Int128 whole, std::int32_t nanos, QuantityFormat format) {
  // A binary suffix is only used for whole numbers from 1024 on; others are decimal.
  const bool binary = format == QuantityFormat::kBinarySI;
  if (binary && nanos == 0 && (whole >= 1024 || whole <= -1024)) return InBinary(whole);
  if (nanos == 0) {
    return InDecimal(fmt::format("{}", whole), 0, binary ? QuantityFormat::kDecimalSI : format);
  }
  const bool negative = whole < 0 || nanos < 0;
  std::string digits =
      fmt::format("{}{:09}", whole < 0 ? -whole : whole, nanos < 0 ? -nanos : nanos);
  digits.erase(0, digits.find_first_not_of('0'));
  return InDecimal((negative ? "-" : "") + digits, -9,
                   binary ? QuantityFormat::kDecimalSI : format);
}

}  // namespace

std::string Quantity::ToString() const {
  if (text_ != nullptr) return *text_;
  return IsZero() ? "0" : TextOf(whole_, nanos_, format_);
}

std::string Quantity::ToExactString() const {
  std::string text = ToString();
  const auto again = Parse(text);
  if (again && *again == *this) return text;
  return TextOf(whole_, nanos_, QuantityFormat::kDecimalExponent);
}

Nanos Quantity::ToNanos() const {
  constexpr Int128 kMostUnits = static_cast<Int128>(kPowersOfTen[19]) * kPowersOfTen[10];
  constexpr Nanos kMost = kMostUnits * kNanosPerUnit;
  const Nanos nanos = std::clamp(whole_, -kMostUnits, kMostUnits) * kNanosPerUnit + nanos_;
  return std::clamp(nanos, -kMost, kMost);
}

std::int64_t Quantity::DigitsAt(int scale) const {
  if (scale >= 0) return static_cast<std::int64_t>(DividedByPowerOfTen(whole_, scale));
  const std::int64_t whole = WrappingProduct(static_cast<std::int64_t>(whole_), PowerOfTen(-scale));
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(whole) +
                                   static_cast<std::uint64_t>(nanos_ / PowerOfTen(9 + scale)));
}

bool Quantity::DigitsFitInt64() const {
  if (scale_ >= 0) return FitsInt64(DividedByPowerOfTen(whole_, scale_));
  Int128 digits = 0;
  if (__builtin_mul_overflow(whole_, Int128{PowerOfTen(-scale_)}, &digits)) return false;
  return FitsInt64(digits) && FitsInt64(digits + nanos_ / PowerOfTen(9 + scale_));
}

std::int64_t Quantity::ScaledValue(int scale) const {
  const std::int64_t digits = DigitsAt(scale_);
  const int places = scale_ - scale;
  if (places >= 0) {
    if (!unlimited_) return ScaledUp(digits, places);
    return WrappingProduct(digits, places <= 18 ? PowerOfTen(places) : INT64_MIN);
  }
  const bool negative = Sign() < 0;
  if (unlimited_ && !negative) {
    const bool rest = nanos_ % PowerOfTen(9 + scale) != 0;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(DigitsAt(scale)) + (rest ? 1 : 0));
  }
  // resource.scaledValue (1.36) rounds up, which below zero means towards zero, and of a negative
  // number only the low 64 bits count. int64Amount rounds away from zero.
  const std::int64_t divisor = PowerOfTen(-places);
  const std::int64_t quotient = digits / divisor;
  if (digits % divisor == 0) return quotient;
  return negative && !unlimited_ ? quotient - 1 : quotient + 1;
}

Quantity Quantity::operator-() const {
  Quantity negated = *this;
  negated.whole_ = -whole_;
  negated.nanos_ = -nanos_;
  return negated;
}

Quantity& Quantity::operator+=(const Quantity& other) {
  if (IsZero()) {
    format_ = other.format_;
    scale_ = other.scale_;
  } else if (!other.IsZero()) {
    scale_ = std::min(scale_, other.scale_);
  }
  const Int128 most = whole_ < 0 ? -kMostWhole : kMostWhole;
  if (__builtin_add_overflow(whole_, other.whole_, &whole_)) whole_ = most;
  whole_ = std::clamp(whole_, -kMostWhole, kMostWhole);
  nanos_ += other.nanos_;
  constexpr auto kBillion = static_cast<std::int32_t>(kNanosPerUnit);
  // Both parts have the sign of the sum.
  int carry = 0;
  if (nanos_ >= kBillion || (whole_ < 0 && nanos_ > 0)) carry = 1;
  if (nanos_ <= -kBillion || (whole_ > 0 && nanos_ < 0)) carry = -1;
  whole_ += carry;
  nanos_ -= carry * kBillion;
  unlimited_ = unlimited_ || other.unlimited_ || !DigitsFitInt64();
  text_.reset();
  return *this;
}

std::string WhyThousandths(std::string_view amount) {
  const auto read =
      amount.ends_with('m') ? Quantity::Parse(amount) : Fail(ErrorCode::kInvalidArgument, "");
  if (!read || read->IsZero()) return "";
  const std::string_view number = amount.substr(0, amount.size() - 1);
  return fmt::format("is {:g}, because m is a thousandth; did you mean {}M or {}Mi?",
                     static_cast<double>(read->ToNanos()) / static_cast<double>(kNanosPerUnit),
                     number, number);
}

}  // namespace jettison
