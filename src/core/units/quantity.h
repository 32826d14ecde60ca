#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/units/int128.h"
#include "core/units/result.h"

namespace jettison {

// How a Quantity likes to be written; decides its suffix ("129e6", "129Mi", "129M").
enum class QuantityFormat : std::uint8_t { kDecimalExponent, kBinarySI, kDecimalSI };

// A signed 128-bit count of billionths, wide enough for every amount a node can hold.
using Nanos = Int128;
inline constexpr Nanos kNanosPerUnit = 1'000'000'000;

// The whole units in it, rounded toward zero.
[[nodiscard]] constexpr std::int64_t WholeUnits(Nanos nanos) {
  return static_cast<std::int64_t>(nanos / kNanosPerUnit);
}

// A Kubernetes resource quantity: an exact decimal number of unlimited size with a preferred form,
// equal in parsing, arithmetic, comparison and text to k8s.io/apimachinery's resource.Quantity
// (1.36). Amounts whose digits fit in 128 bits are held inline: copying, adding and comparing them
// allocates nothing.
//
// One deviation: a text of more than 1,024 characters, or with an exponent above 1,000, is
// refused. Kubernetes accepts 1e2147483647 and then writes out all of its zeros.
class Quantity {
 public:
  // Zero, DecimalSI.
  Quantity() = default;
  // A whole number; the default form is the one the kubelet gives to what it measured.
  [[nodiscard]] static Quantity Of(std::int64_t value,
                                   QuantityFormat format = QuantityFormat::kBinarySI) {
    return {Form::kScaled64, value, 0, format};
  }
  // Fails on what Kubernetes refuses; rounds up below one billionth and caps as Kubernetes does.
  [[nodiscard]] static Result<Quantity> Parse(std::string_view text);

  [[nodiscard]] QuantityFormat format() const { return format_; }
  // -1, 0 or 1.
  [[nodiscard]] int Sign() const {
    return form_ == Form::kLarge ? SignOfLarge() : OrderOf(value_, 0);
  }
  [[nodiscard]] bool IsZero() const { return Sign() == 0; }
  // The whole units, rounded up (away from zero), as Quantity.Value(). Beyond 64 bits it answers
  // the nonsense that Kubernetes 1.36 answers there: zero or a wrapped number.
  [[nodiscard]] std::int64_t Value() const {
    if (form_ == Form::kScaled64 && scale_ == 0) return static_cast<std::int64_t>(value_);
    return ScaledValue(0);
  }
  // The thousandths, rounded up, as Quantity.MilliValue().
  [[nodiscard]] std::int64_t MilliValue() const { return ScaledValue(-3); }
  // Billionths; an amount beyond +-10^29 units saturates.
  [[nodiscard]] Nanos ToNanos() const {
    if (form_ == Form::kScaled64 && scale_ >= -9 && scale_ <= 10) {
      return value_ * static_cast<Int128>(kPowersOfTen[static_cast<std::size_t>(scale_ + 9)]);
    }
    return ToNanosSlowly();
  }
  // What Quantity.String() answers (the canonical form, or the text it was parsed from where
  // Kubernetes keeps that). As in Kubernetes 1.36 a suffix beyond "E" or "Ei" is lost: 1000E is
  // written "1" once it has been added to.
  [[nodiscard]] std::string ToString() const;
  // The same where it reads back as this amount, or else the amount with an exponent: what is
  // written to be read again.
  [[nodiscard]] std::string ToExactString() const;

  // Exact. The left side's form is kept, but a zero left side takes the right side's form, as in
  // Kubernetes.
  Quantity& operator+=(const Quantity& other) {
    if (!AddSameScale(other, other.value_)) AddSlowly(other, /*negated=*/false);
    return *this;
  }
  Quantity& operator-=(const Quantity& other) {
    if (!AddSameScale(other, -other.value_)) AddSlowly(other, /*negated=*/true);
    return *this;
  }
  friend Quantity operator+(Quantity a, const Quantity& b) { return a += b; }
  friend Quantity operator-(Quantity a, const Quantity& b) { return a -= b; }

  // Compares amounts, never forms: 1Gi == 1024Mi. Returns -1, 0 or 1.
  [[nodiscard]] int Compare(const Quantity& other) const {
    if (scale_ == other.scale_ && form_ != Form::kLarge && other.form_ != Form::kLarge) {
      return OrderOf(value_, other.value_);
    }
    return CompareSlowly(other);
  }
  friend bool operator==(const Quantity& a, const Quantity& b) { return a.Compare(b) == 0; }
  friend bool operator<(const Quantity& a, const Quantity& b) { return a.Compare(b) < 0; }
  friend bool operator>(const Quantity& a, const Quantity& b) { return a.Compare(b) > 0; }

 private:
  // The amount is always DIGITS * 10^scale_. Kubernetes computes with 64-bit digits until they
  // overflow and with unlimited ones from then on; which of the two it is at shows in Value().
  enum class Form : std::uint8_t {
    kScaled64,  // Kubernetes' int64Amount: the digits are value_, within 64 bits
    kDecimal,   // Kubernetes' inf.Dec: the digits are value_
    kLarge,     // inf.Dec too long for 128 bits: the digits are rare_'s, value_ is zero
  };
  struct Rare;  // what few quantities have: large digits, or a text that is not the canonical one
  struct Decimal;  // digits of any length and a scale, for the way round by unlimited numbers

  Quantity(Form form, Int128 value, std::int32_t scale, QuantityFormat format)
      : value_(value), scale_(scale), format_(format), form_(form) {}

  static int OrderOf(Int128 a, Int128 b) { return a < b ? -1 : (a > b ? 1 : 0); }

  // The addition that nearly every one is: both 64-bit, same scale, no overflow. `value` is the
  // other's, with the sign it is to be added with. Changes nothing where it answers false.
  bool AddSameScale(const Quantity& other, Int128 value) {
    if (form_ != Form::kScaled64 || other.form_ != Form::kScaled64 || scale_ != other.scale_) {
      return false;
    }
    const Int128 sum = value_ + value;
    if (!FitsInt64(sum)) return false;
    if (value_ == 0) format_ = other.format_;
    value_ = sum;
    rare_.reset();
    return true;
  }

  // An inf.Dec: inline where its digits fit.
  static Quantity Of(const Decimal& decimal, QuantityFormat format);
  [[nodiscard]] Decimal ToDecimal() const;

  [[nodiscard]] int SignOfLarge() const;
  [[nodiscard]] std::int64_t ScaledValue(std::int32_t scale) const;
  [[nodiscard]] Nanos ToNanosSlowly() const;
  [[nodiscard]] int CompareSlowly(const Quantity& other) const;
  void AddSlowly(const Quantity& other, bool negated);
  bool AddWithin64Bits(const Quantity& other, Int128 value);
  bool AddWithin128Bits(const Quantity& other, Int128 value);

  Int128 value_ = 0;
  std::shared_ptr<const Rare> rare_;  // null where there is nothing rare
  std::int32_t scale_ = 0;
  QuantityFormat format_ = QuantityFormat::kDecimalSI;
  Form form_ = Form::kScaled64;
};

}  // namespace jettison
