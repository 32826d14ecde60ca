#include "core/units/quantity_value.h"

namespace jettison {

namespace {

// Go's multiplication: overflowing bits are lost.
std::int64_t WrappingProduct(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

// Go's int64(math.Pow10(power)) on amd64, where a float that is too large becomes the smallest
// integer.
std::int64_t PowerOfTenInGo(std::int64_t power) {
  return power <= 18 ? static_cast<std::int64_t>(kPowersOfTen[static_cast<std::size_t>(power)])
                     : INT64_MIN;
}

// value / 10^places, rounded away from zero.
template <typename Integer>
Integer RoundedAwayFromZero(const Integer& value, const Integer& divisor) {
  Integer quotient = value / divisor;
  if (value % divisor == 0) return quotient;
  return value < 0 ? Integer(quotient - 1) : Integer(quotient + 1);
}

// value * 10^places as in int64Amount.AsScaledInt64 (1.36). If the product overflows, it wraps
// around for the powers by which Kubernetes multiplies in one step, and is zero for the others.
std::int64_t ScaledUpInt64(std::int64_t value, std::int64_t places) {
  const bool at_once = places <= 3 || places == 6 || places == 9;
  if (at_once && value != INT64_MIN) return WrappingProduct(value, PowerOfTenInGo(places));
  if (places > 18) return 0;
  const Int128 product = Int128{value} * PowerOfTenInGo(places);
  return FitsInt64(product) ? static_cast<std::int64_t>(product) : 0;
}

std::int64_t ScaledDownInt64(std::int64_t value, std::int64_t places) {
  if (places > 18) return value < 0 ? -1 : 1;
  return RoundedAwayFromZero(value, PowerOfTenInGo(places));
}

// digits / 10^places as in resource.scaledValue (1.36): rounded up, which below zero means towards
// zero. Up to eighteen places, a negative number takes the fast path, where only its low 64 bits
// count.
std::int64_t ScaledDownDecimal(const BigInt& digits, std::int64_t places) {
  if (places < 19 && digits < INT64_MAX) {
    const std::int64_t low = Low64(digits);
    const std::int64_t divisor = PowerOfTenInGo(places);
    return low / divisor + (low % divisor != 0 ? 1 : 0);
  }
  const BigInt divisor = PowerOfTen(static_cast<std::uint32_t>(places));
  const BigInt quotient = digits / divisor;
  return Low64(digits % divisor > 0 ? BigInt(quotient + 1) : quotient);
}

}  // namespace

std::int64_t ScaledInt64(std::int64_t value, std::int64_t places) {
  if (value == 0) return 0;
  return places < 0 ? ScaledDownInt64(value, -places) : ScaledUpInt64(value, places);
}

std::int64_t ScaledDecimal(const BigInt& digits, std::int64_t places) {
  if (places < 0) return ScaledDownDecimal(digits, -places);
  return WrappingProduct(Low64(digits), PowerOfTenInGo(places));
}

BigInt DividedByPowerOfTen(const BigInt& digits, std::uint32_t places) {
  return RoundedAwayFromZero(digits, PowerOfTen(places));
}

}  // namespace jettison
