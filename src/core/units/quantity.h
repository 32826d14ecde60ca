#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/units/result.h"

namespace jettison {

// A signed 128-bit integer: what amounts are computed in, so that 64-bit ones cannot overflow
// half-way. A compiler extension that GCC and Clang share.
__extension__ using Int128 = __int128;

[[nodiscard]] constexpr bool FitsInt64(Int128 value) {
  return value == static_cast<Int128>(static_cast<std::int64_t>(value));
}

// How a Quantity likes to be written; decides its suffix ("129e6", "129Mi", "129M").
enum class QuantityFormat : std::uint8_t { kDecimalExponent, kBinarySI, kDecimalSI };

// A signed 128-bit count of billionths, wide enough for every amount a node can hold.
using Nanos = Int128;
inline constexpr Nanos kNanosPerUnit = 1'000'000'000;

// The whole units in it, rounded toward zero.
[[nodiscard]] constexpr std::int64_t WholeUnits(Nanos nanos) {
  return static_cast<std::int64_t>(nanos / kNanosPerUnit);
}

// A Kubernetes resource quantity: whole units and billionths with a preferred form, equal in
// parsing, arithmetic, comparison and text to k8s.io/apimachinery's resource.Quantity (1.36).
//
// One deviation: a text of more than 1,024 characters, or of 2^127 units (1.7e38) or more, is
// refused, and sums end there. Kubernetes accepts 1e2147483647 and then writes out all of its
// zeros.
class Quantity {
 public:
  // Zero, DecimalSI.
  Quantity() = default;
  // A whole number; the default form is the one the kubelet gives to what it measured.
  [[nodiscard]] static Quantity Of(std::int64_t value,
                                   QuantityFormat format = QuantityFormat::kBinarySI) {
    Quantity quantity;
    quantity.whole_ = value;
    quantity.format_ = format;
    return quantity;
  }
  // Fails on what Kubernetes refuses; rounds up below one billionth and caps as Kubernetes does.
  [[nodiscard]] static Result<Quantity> Parse(std::string_view text);

  [[nodiscard]] QuantityFormat format() const { return format_; }
  // -1, 0 or 1.
  [[nodiscard]] int Sign() const { return Compare({}); }
  [[nodiscard]] bool IsZero() const { return whole_ == 0 && nanos_ == 0; }
  // The whole units, rounded up (away from zero), as Quantity.Value(). Beyond 64 bits it answers
  // the nonsense that Kubernetes 1.36 answers there: zero or a wrapped number.
  [[nodiscard]] std::int64_t Value() const {
    return scale_ == 0 && !unlimited_ ? static_cast<std::int64_t>(whole_) : ScaledValue(0);
  }
  // The thousandths, rounded up, as Quantity.MilliValue().
  [[nodiscard]] std::int64_t MilliValue() const { return ScaledValue(-3); }
  // Billionths; an amount beyond +-10^29 units saturates.
  [[nodiscard]] Nanos ToNanos() const;
  // What Quantity.String() answers (the canonical form, or the text it was parsed from where
  // Kubernetes keeps that). As in Kubernetes 1.36 a suffix beyond "E" or "Ei" is lost: 1000E is
  // written "1" once it has been added to.
  [[nodiscard]] std::string ToString() const;
  // The same where it reads back as this amount, or else the amount with an exponent: what is
  // written to be read again.
  [[nodiscard]] std::string ToExactString() const;

  // Exact. The left side's form is kept, but a zero left side takes the right side's form, as in
  // Kubernetes.
  Quantity& operator+=(const Quantity& other);
  Quantity& operator-=(const Quantity& other) { return *this += -other; }
  friend Quantity operator+(Quantity a, const Quantity& b) { return a += b; }
  friend Quantity operator-(Quantity a, const Quantity& b) { return a -= b; }

  // Compares amounts, never forms: 1Gi == 1024Mi. Returns -1, 0 or 1.
  [[nodiscard]] int Compare(const Quantity& other) const {
    if (whole_ != other.whole_) return whole_ < other.whole_ ? -1 : 1;
    return nanos_ < other.nanos_ ? -1 : (nanos_ > other.nanos_ ? 1 : 0);
  }
  friend bool operator==(const Quantity& a, const Quantity& b) { return a.Compare(b) == 0; }
  friend bool operator<(const Quantity& a, const Quantity& b) { return a.Compare(b) < 0; }
  friend bool operator>(const Quantity& a, const Quantity& b) { return a.Compare(b) > 0; }

 private:
  [[nodiscard]] Quantity operator-() const;
  [[nodiscard]] std::int64_t ScaledValue(int scale) const;
  // The amount by 10^scale: all of it, and its low 64 bits where it is longer.
  [[nodiscard]] std::int64_t DigitsAt(int scale) const;
  [[nodiscard]] bool DigitsFitInt64() const;

  Int128 whole_ = 0;
  std::shared_ptr<const std::string> text_;  // as parsed, where Kubernetes keeps that; else null
  std::int32_t nanos_ = 0;                   // has the sign of the amount
  // Kubernetes has digits * 10^scale. It computes with 64-bit digits until they overflow, and with
  // unlimited ones from then on; which of the two it is at shows in Value().
  std::int16_t scale_ = 0;
  QuantityFormat format_ = QuantityFormat::kDecimalSI;
  bool unlimited_ = false;
};

// What to warn of an amount of bytes or files that is written in thousandths ("500m"): how much it
// is, and what was probably meant. Empty: it is not.
[[nodiscard]] std::string WhyThousandths(std::string_view amount);

}  // namespace jettison
