#include "core/units/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "core/units/quantity_decimal.h"
#include "core/units/quantity_format.h"
#include "core/units/quantity_parse.h"
#include "core/units/quantity_value.h"
#include "core/units/refusals.h"

namespace jettison {

Result<Quantity> Quantity::Parse(std::string_view text) {
  const auto parsed = ParseQuantity(text);
  if (!parsed) return Fail(parsed.error());
  if (const auto* digits = std::get_if<BigInt>(&parsed->digits)) {
    return Of({*digits, parsed->scale}, parsed->format);
  }
  Quantity quantity{Form::kScaled64, std::get<Int128>(parsed->digits), parsed->scale,
                    parsed->format};
  if (!parsed->text.empty()) {
    quantity.rare_ = std::make_shared<const Rare>(Rare{{}, std::string(parsed->text)});
  }
  return quantity;
}

Quantity Quantity::Of(const Decimal& decimal, QuantityFormat format) {
  if (decimal.digits <= kMaxInt128 && decimal.digits >= -kMaxInt128) {
    return {Form::kDecimal, static_cast<Int128>(decimal.digits), decimal.scale, format};
  }
  Quantity quantity{Form::kLarge, 0, decimal.scale, format};
  quantity.rare_ = std::make_shared<const Rare>(Rare{decimal.digits, {}});
  return quantity;
}

Quantity::Decimal Quantity::ToDecimal() const {
  return {form_ == Form::kLarge ? rare_->digits : BigInt(value_), scale_};
}

int Quantity::SignOfLarge() const {
  return rare_->digits.sign();
}

std::string Quantity::ToString() const {
  if (rare_ != nullptr && !rare_->text.empty()) return rare_->text;
  if (IsZero()) return "0";
  auto [digits, scale] = ToDecimal();
  return TextOfAmount(std::move(digits), scale, format_);
}

std::string Quantity::ToExactString() const {
  std::string text = ToString();
  const auto again = Parse(text);
  if (again && *again == *this) return text;
  auto [digits, scale] = ToDecimal();
  return TextOfAmount(std::move(digits), scale, QuantityFormat::kDecimalExponent);
}

std::int64_t Quantity::ScaledValue(std::int32_t scale) const {
  const auto places = std::int64_t{scale_} - scale;
  if (form_ == Form::kScaled64) return ScaledInt64(static_cast<std::int64_t>(value_), places);
  return ScaledDecimal(ToDecimal().digits, places);
}

Nanos Quantity::ToNanosSlowly() const {
  static constexpr Nanos kMost = static_cast<Nanos>(kPowersOfTen[19]) * kPowersOfTen[19];
  const int sign = Sign();
  const auto places = std::int64_t{scale_} + 9;
  if (form_ != Form::kLarge && places >= 0) {
    const auto nanos = TimesPowerOfTen(value_, places);
    return nanos ? std::clamp(*nanos, -kMost, kMost) : sign * kMost;
  }
  if (places >= 0) return sign * kMost;
  const BigInt nanos = DividedByPowerOfTen(ToDecimal().digits, static_cast<std::uint32_t>(-places));
  return abs(nanos) > kMost ? sign * kMost : static_cast<Nanos>(nanos);
}

int Quantity::CompareSlowly(const Quantity& other) const {
  const int sign = Sign();
  const int other_sign = other.Sign();
  if (sign != other_sign || sign == 0) return OrderOf(sign, other_sign);
  const auto ahead = std::int64_t{scale_} - other.scale_;
  if (form_ != Form::kLarge && other.form_ != Form::kLarge) {
    const auto mine = TimesPowerOfTen(value_, std::max<std::int64_t>(ahead, 0));
    const auto theirs = TimesPowerOfTen(other.value_, std::max<std::int64_t>(-ahead, 0));
    if (mine && theirs) return OrderOf(*mine, *theirs);
  }
  BigInt mine = ToDecimal().digits;
  BigInt theirs = other.ToDecimal().digits;
  (ahead > 0 ? mine : theirs) *= PowerOfTen(static_cast<std::uint32_t>(std::abs(ahead)));
  return mine.compare(theirs) < 0 ? -1 : (mine == theirs ? 0 : 1);
}

void Quantity::AddSlowly(const Quantity& other, bool negated) {
  if (IsZero()) format_ = other.format_;
  if (form_ != Form::kLarge && other.form_ != Form::kLarge) {
    const Int128 value = negated ? -other.value_ : other.value_;
    if (AddWithin64Bits(other, value) || AddWithin128Bits(other, value)) return;
  }
  Decimal sum = ToDecimal();
  Decimal addend = other.ToDecimal();
  if (negated) addend.digits = -addend.digits;
  const auto ahead = std::int64_t{scale_} - other.scale_;
  (ahead > 0 ? sum : addend).digits *= PowerOfTen(static_cast<std::uint32_t>(std::abs(ahead)));
  sum.digits += addend.digits;
  sum.scale = std::min(scale_, other.scale_);
  *this = Of(sum, format_);
}

// int64Amount.Add: the side with the larger scale is converted to the smaller one. A zero does not
// affect the scale. In Kubernetes 1.36 the sign of 0 - (-2^63) is wrong; here the result becomes a
// Decimal.
bool Quantity::AddWithin64Bits(const Quantity& other, Int128 value) {
  if (form_ != Form::kScaled64 || other.form_ != Form::kScaled64) return false;
  if (value == 0) {
    rare_.reset();
    return true;
  }
  if (value_ == 0 && FitsInt64(value)) {
    *this = Quantity{Form::kScaled64, value, other.scale_, format_};
    return true;
  }
  const auto ahead = std::int64_t{scale_} - other.scale_;
  const auto mine = TimesPowerOfTen(value_, std::max<std::int64_t>(ahead, 0));
  const auto theirs = TimesPowerOfTen(value, std::max<std::int64_t>(-ahead, 0));
  if (!mine || !theirs || !FitsInt64(*mine) || !FitsInt64(*theirs)) return false;
  const Int128 sum = *mine + *theirs;
  if (!FitsInt64(sum)) return false;
  *this = Quantity{Form::kScaled64, sum, std::min(scale_, other.scale_), format_};
  return true;
}

// The same as inf.Dec, for numbers that fit in 128 bits.
bool Quantity::AddWithin128Bits(const Quantity& other, Int128 value) {
  const auto ahead = std::int64_t{scale_} - other.scale_;
  const auto mine = TimesPowerOfTen(value_, std::max<std::int64_t>(ahead, 0));
  const auto theirs = TimesPowerOfTen(value, std::max<std::int64_t>(-ahead, 0));
  if (!mine || !theirs) return false;
  Int128 sum = 0;
  if (__builtin_add_overflow(*mine, *theirs, &sum) || sum < -kMaxInt128) return false;
  *this = Quantity{Form::kDecimal, sum, std::min(scale_, other.scale_), format_};
  return true;
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
