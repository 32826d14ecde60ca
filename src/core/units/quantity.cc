#include "core/units/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <optional>
#include <ranges>

#include "core/text/number.h"

namespace jettison {
namespace {

constexpr std::size_t kMaxLength = 1024;
constexpr std::int32_t kMaxExponent = 1000;
// Digits that are this far after the point round to one billionth in any case.
constexpr std::int32_t kLeastExponent = -2 * kMaxExponent;
constexpr std::int32_t kNanoScale = -9;
constexpr std::string_view kForm =
    "write a number and a suffix: n u m k M G T P E, Ki Mi Gi Ti Pi Ei, or an exponent such as e3";

struct Parts {
  bool negative = false;
  bool plain = true;          // nothing before the suffix that the canonical text leaves out
  std::string_view number;    // sign, digits and point, as inf.Dec would read them
  std::string_view whole;     // digits before the point, without leading zeros
  std::string_view fraction;  // digits after the point
  std::string_view suffix;
};

struct Suffix {
  QuantityFormat format = QuantityFormat::kDecimalSI;
  std::int32_t exponent = 0;  // of two where the format is kBinarySI, of ten otherwise
  bool plain = true;          // written as in the canonical text
};

std::size_t SkipDigits(std::string_view text, std::size_t at) {
  while (at < text.size() && IsDigit(text[at])) ++at;
  return at;
}

// The scanner of Kubernetes, including what it accepts: "", "+", "." and ".k" are numbers for it;
// whether they have a value is checked later.
std::optional<Parts> TakeApart(std::string_view text) {
  Parts parts;
  std::size_t at = 0;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    parts.negative = text[0] == '-';
    parts.plain = parts.negative;
    at = 1;
  }
  const std::size_t digits = at;
  while (at < text.size() && text[at] == '0') ++at;
  parts.plain = parts.plain && at == digits;
  if (at == text.size()) {
    parts.number = parts.whole = "0";
    return parts;
  }
  const std::size_t whole_end = SkipDigits(text, at);
  parts.whole = text.substr(at, whole_end - at);
  if (parts.whole.empty()) parts.whole = "0";
  at = whole_end;
  if (at < text.size() && text[at] == '.') {
    const std::size_t fraction_end = SkipDigits(text, at + 1);
    parts.fraction = text.substr(at + 1, fraction_end - at - 1);
    parts.plain = false;
    at = fraction_end;
  }
  parts.number = text.substr(0, at);
  parts.suffix = text.substr(at);
  std::size_t end = parts.suffix.find_first_not_of("eEinumkKMGTP");
  if (end == std::string_view::npos) return parts;
  if (parts.suffix[end] == '-' || parts.suffix[end] == '+') ++end;
  if (SkipDigits(parts.suffix, end) != parts.suffix.size()) return std::nullopt;
  return parts;
}

// By thousands, from a billionth on, and by 1024s.
constexpr auto kDecimalSuffixes =
    std::to_array<std::string_view>({"n", "u", "m", "", "k", "M", "G", "T", "P", "E"});
constexpr auto kBinarySuffixes =
    std::to_array<std::string_view>({"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"});

std::optional<Suffix> SuffixOf(std::string_view text) {
  const auto place = [text](const auto& suffixes) {
    return static_cast<std::int32_t>(std::ranges::find(suffixes, text) - suffixes.begin());
  };
  if (const auto at = place(kDecimalSuffixes); at < std::ssize(kDecimalSuffixes)) {
    return Suffix{.exponent = kNanoScale + at * 3};
  }
  if (const auto at = place(kBinarySuffixes); at < std::ssize(kBinarySuffixes)) {
    return Suffix{.format = QuantityFormat::kBinarySI, .exponent = at * 10};
  }
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) return std::nullopt;
  const std::size_t digits = text[1] == '+' ? 2 : 1;
  std::int64_t exponent = 0;
  const auto [end, error] =
      std::from_chars(text.data() + digits, text.data() + text.size(), exponent);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  // Kubernetes cuts the exponent down to 32 bits.
  const auto capped = std::max(static_cast<std::int32_t>(exponent), kLeastExponent);
  return Suffix{.format = QuantityFormat::kDecimalExponent,
                .exponent = capped,
                .plain = capped != 0 && text == fmt::format("e{}", capped)};
}

// The power of ten by which the digits are multiplied, after a binary suffix has been applied.
std::int32_t ScaleOf(const Parts& parts, const Suffix& suffix) {
  const bool binary = suffix.format == QuantityFormat::kBinarySI;
  return (binary ? 0 : suffix.exponent) - static_cast<std::int32_t>(parts.fraction.size());
}

// Whether Kubernetes reads the number with 64 bits. Only the lengths decide, so that neither the
// digits nor their product with the suffix can overflow.
bool IsFor64Bits(const Parts& parts, const Suffix& suffix) {
  const auto whole = static_cast<std::int32_t>(parts.whole.size());
  const auto fraction = static_cast<std::int32_t>(parts.fraction.size());
  if (suffix.format == QuantityFormat::kBinarySI) {
    return fraction == 0 && whole + suffix.exponent * 3 / 10 <= 14;
  }
  return whole + fraction <= 18 && ScaleOf(parts, suffix) >= kNanoScale;
}

// Whether Kubernetes keeps the parsed text as the quantity's text. There are no more than eighteen
// digits.
bool KeepsText(const Parts& parts, const Suffix& suffix) {
  std::int64_t digits = 0;
  for (const std::string_view part : {parts.whole, parts.fraction}) {
    for (const char digit : part) digits = digits * 10 + (digit - '0');
  }
  if (suffix.format == QuantityFormat::kBinarySI) return (digits & 7) != 0;
  return ScaleOf(parts, suffix) % 3 == 0 && parts.whole[0] != '0' && digits % 1000 != 0;
}

// An amount that is not negative.
struct Amount {
  Int128 whole = 0;
  std::int64_t nanos = 0;  // less than a billion
};

// What the fraction is of `unit` billionths; what is finer than a billionth is rounded up.
Int128 NanosIn(std::string_view fraction, Int128 unit) {
  Int128 nanos = 0;
  bool finer = false;
  for (const char digit : fraction | std::views::reverse) {
    nanos += unit * (digit - '0');
    finer = finer || nanos % 10 != 0;
    nanos /= 10;
  }
  return nanos + (finer ? 1 : 0);
}

// The number times 2^exponent with a binary suffix, times 10^exponent otherwise. Absent: it has too
// many digits.
std::optional<Amount> AmountOf(const Parts& parts, const Suffix& suffix) {
  const bool binary = suffix.format == QuantityFormat::kBinarySI;
  std::string digits = std::string(parts.whole).append(parts.fraction);
  const int point = static_cast<int>(parts.whole.size()) + (binary ? 0 : suffix.exponent);
  const auto whole = static_cast<std::size_t>(std::max(point, 0));  // digits before the point
  digits.insert(0, static_cast<std::size_t>(std::max(-point, 0)), '0');
  digits.resize(std::max(digits.size(), whole), '0');
  const Int128 factor = Int128{1} << (binary ? suffix.exponent : 0);
  Amount amount;
  bool too_large = false;
  for (const char digit : digits.substr(0, whole)) {
    too_large = too_large || __builtin_mul_overflow(amount.whole, Int128{10}, &amount.whole) ||
                __builtin_add_overflow(amount.whole, Int128{digit - '0'}, &amount.whole);
  }
  const Int128 nanos = NanosIn(digits.substr(whole), factor * kNanosPerUnit);
  too_large = too_large || __builtin_mul_overflow(amount.whole, factor, &amount.whole) ||
              __builtin_add_overflow(amount.whole, nanos / kNanosPerUnit, &amount.whole);
  amount.nanos = static_cast<std::int64_t>(nanos % kNanosPerUnit);
  // Kubernetes ends amounts with a binary suffix there.
  const bool capped = too_large || amount.whole >= INT64_MAX;
  if (binary && capped) return Amount{INT64_MAX, 0};
  if (too_large) return std::nullopt;
  return amount;
}

constexpr Int128 kMostWhole = ~(Int128{1} << 127) - 1;

// 10^power, up to 10^38.
constexpr Int128 WidePowerOfTen(int power) {
  Int128 result = 1;
  for (; power > 0; --power) result *= 10;
  return result;
}

std::int64_t PowerOfTen(int power) {
  return static_cast<std::int64_t>(WidePowerOfTen(power));
}

Int128 DividedByPowerOfTen(Int128 value, int power) {
  return power > 38 ? 0 : value / WidePowerOfTen(power);
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
  const std::size_t end = digits.find_last_not_of('0') + 1;
  exponent += static_cast<int>(digits.size() - end);
  digits.resize(end);
  for (; exponent % 3 != 0; --exponent) digits += '0';
  if (format != QuantityFormat::kDecimalSI) {
    return exponent == 0 ? digits : fmt::format("{}e{}", digits, exponent);
  }
  const auto index = static_cast<std::size_t>((exponent + 9) / 3);
  return index < kDecimalSuffixes.size() ? digits.append(kDecimalSuffixes[index]) : digits;
}

std::string InBinary(Int128 whole) {
  std::size_t times = 0;
  for (; whole % 1024 == 0; whole /= 1024) ++times;
  return fmt::format("{}{}", whole, times < kBinarySuffixes.size() ? kBinarySuffixes[times] : "");
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

Result<Quantity> Quantity::Parse(std::string_view text) {
  if (text.empty()) return NotA("a quantity", text, "it is empty; write a number such as 100Mi");
  if (text.size() > kMaxLength) return NotA("a quantity", text, "at most 1024 characters");
  const auto parts = TakeApart(text);
  if (!parts) return NotA("a quantity", text, kForm);
  const auto suffix = SuffixOf(parts->suffix);
  if (!suffix) return NotA("a quantity", text, kForm);
  if (suffix->exponent > kMaxExponent) return NotA("a quantity", text, "exponents end at 1000");
  const bool is_64 = IsFor64Bits(*parts, *suffix);
  if (!is_64 && std::ranges::none_of(parts->number, IsDigit)) {
    return NotA("a quantity", text, "it has no digits");
  }
  const auto amount = AmountOf(*parts, *suffix);
  if (!amount) return NotA("a quantity", text, "it must be less than 2^127");

  Quantity quantity;
  quantity.whole_ = parts->negative ? -amount->whole : amount->whole;
  quantity.nanos_ = static_cast<std::int32_t>(parts->negative ? -amount->nanos : amount->nanos);
  quantity.format_ = suffix->format;
  const bool binary = suffix->format == QuantityFormat::kBinarySI;
  const bool capped = binary && amount->whole == INT64_MAX;
  if (is_64 || capped) {
    quantity.scale_ = static_cast<std::int16_t>(capped ? 0 : ScaleOf(*parts, *suffix));
  } else {
    quantity.scale_ = kNanoScale;
    quantity.unlimited_ = true;
    // Less than one, it has no binary suffix.
    if (binary && amount->whole == 0 && amount->nanos != 0) {
      quantity.format_ = QuantityFormat::kDecimalSI;
    }
  }
  const bool canonical = parts->plain && suffix->plain;
  if (is_64 && !canonical && KeepsText(*parts, *suffix)) {
    quantity.text_ = std::make_shared<const std::string>(text);
  }
  return quantity;
}

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
  constexpr Int128 kMostUnits = WidePowerOfTen(29);
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
