#include "core/units/quantity_parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>

#include "core/text/ascii.h"

namespace jettison {

namespace {

constexpr std::size_t kMaxLength = 1024;
constexpr std::int32_t kMaxExponent = 1000;
constexpr std::int32_t kNanoScale = -9;
constexpr std::string_view kForm =
    "write a number and a suffix: n u m k M G T P E, Ki Mi Gi Ti Pi Ei, or an exponent such as e3";

// A quantity's text, taken apart.
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

std::optional<Suffix> DecimalSuffix(std::string_view text) {
  if (text.empty()) return Suffix{};
  if (text.size() != 1) return std::nullopt;
  constexpr std::string_view kLetters = "numkMGTPE";
  constexpr std::array<std::int32_t, 9> kExponents = {-9, -6, -3, 3, 6, 9, 12, 15, 18};
  const std::size_t index = kLetters.find(text[0]);
  if (index == std::string_view::npos) return std::nullopt;
  return Suffix{.exponent = kExponents[index]};
}

std::optional<Suffix> BinarySuffix(std::string_view text) {
  if (text.size() != 2 || text[1] != 'i') return std::nullopt;
  const std::size_t index = std::string_view("KMGTPE").find(text[0]);
  if (index == std::string_view::npos) return std::nullopt;
  return Suffix{.format = QuantityFormat::kBinarySI,
                .exponent = static_cast<std::int32_t>(index + 1) * 10};
}

std::optional<Suffix> ExponentSuffix(std::string_view text) {
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) return std::nullopt;
  const std::size_t digits = text[1] == '+' ? 2 : 1;
  std::int64_t exponent = 0;
  const auto [end, error] =
      std::from_chars(text.data() + digits, text.data() + text.size(), exponent);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  // Kubernetes cuts the exponent down to 32 bits.
  const auto kept = static_cast<std::int32_t>(exponent);
  return Suffix{.format = QuantityFormat::kDecimalExponent,
                .exponent = kept,
                .plain = kept != 0 && text == fmt::format("e{}", kept)};
}

std::optional<Suffix> SuffixOf(std::string_view text) {
  if (auto suffix = DecimalSuffix(text)) return suffix;
  if (auto suffix = BinarySuffix(text)) return suffix;
  return ExponentSuffix(text);
}

// The power of ten by which the digits are multiplied, after a binary suffix has been applied.
std::int32_t ScaleOf(const Parts& parts, const Suffix& suffix) {
  const bool binary = suffix.format == QuantityFormat::kBinarySI;
  const auto scale = (binary ? std::int64_t{0} : std::int64_t{suffix.exponent}) -
                     static_cast<std::int64_t>(parts.fraction.size());
  // Digits that are this far after the point round to one billionth in any case.
  return static_cast<std::int32_t>(std::max<std::int64_t>(scale, std::int64_t{-2} * kMaxExponent));
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

// All digits as one number; there are no more than eighteen.
std::int64_t DigitsOf(const Parts& parts) {
  std::int64_t value = 0;
  for (const std::string_view part : {parts.whole, parts.fraction}) {
    for (const char digit : part) value = value * 10 + (digit - '0');
  }
  return value;
}

// Whether Kubernetes keeps the parsed text as the quantity's text.
bool KeepsText(const Parts& parts, const Suffix& suffix, std::int64_t value) {
  if (suffix.format == QuantityFormat::kBinarySI) return (value & 7) != 0;
  return ScaleOf(parts, suffix) % 3 == 0 && parts.whole[0] != '0' && value % 1000 != 0;
}

Error NotAQuantity(std::string_view text, std::string_view why) {
  constexpr std::size_t kShown = 64;
  return {ErrorCode::kInvalidArgument,
          fmt::format("\"{}{}\" is not a quantity: {}", text.substr(0, kShown),
                      text.size() > kShown ? "..." : "", why)};
}

// The digits of the number without the point; empty if there are none.
std::optional<BigInt> AllDigitsOf(const Parts& parts) {
  std::string digits;
  for (const char c : parts.number) {
    if (IsDigit(c)) digits.push_back(c);
  }
  if (digits.empty()) return std::nullopt;
  // BigInt would read a number with a leading zero as octal.
  const std::size_t first = digits.find_first_not_of('0');
  return first == std::string::npos ? BigInt(0) : BigInt(digits.substr(first));
}

// Converts digits * 10^scale, which is above zero, to billionths; what is finer is rounded up.
BigInt RoundedUpToNanos(const BigInt& digits, std::int64_t scale) {
  const std::int64_t places = scale - kNanoScale;
  if (places >= 0) return digits * PowerOfTen(static_cast<std::uint32_t>(places));
  if (-places > static_cast<std::int64_t>(kMaxLength)) return 1;  // finer than its digits reach
  const BigInt divisor = PowerOfTen(static_cast<std::uint32_t>(-places));
  return (digits + divisor - 1) / divisor;
}

struct Rounded {
  BigInt digits;
  std::int32_t scale = 0;
  bool small_binary = false;  // less than one, with a binary suffix
};

// Billionths, and for a binary suffix at most 2^63-1. Zero keeps its scale.
Rounded RoundedAsKubernetesDoes(const BigInt& digits, std::int32_t scale, bool binary) {
  if (digits == 0) return {0, scale, false};
  const BigInt one = PowerOfTen(9);
  const BigInt nanos = RoundedUpToNanos(digits, scale);
  if (binary && nanos > BigInt(INT64_MAX) * one) return {BigInt(INT64_MAX), 0, false};
  return {nanos, kNanoScale, binary && nanos < one};
}

}  // namespace

Result<ParsedQuantity> ParseQuantity(std::string_view text) {
  if (text.empty()) return Fail(NotAQuantity(text, "it is empty; write a number such as 100Mi"));
  if (text.size() > kMaxLength) return Fail(NotAQuantity(text, "at most 1024 characters"));
  const auto parts = TakeApart(text);
  if (!parts) return Fail(NotAQuantity(text, kForm));
  const auto suffix = SuffixOf(parts->suffix);
  if (!suffix) return Fail(NotAQuantity(text, kForm));
  if (suffix->exponent > kMaxExponent) return Fail(NotAQuantity(text, "exponents end at 1000"));

  const std::int32_t scale = ScaleOf(*parts, *suffix);
  const bool binary = suffix->format == QuantityFormat::kBinarySI;
  if (IsFor64Bits(*parts, *suffix)) {
    const std::int64_t digits = DigitsOf(*parts);
    const Int128 value = binary ? Int128{digits} << suffix->exponent : Int128{digits};
    const bool canonical = parts->plain && suffix->plain;
    const bool keeps_text = !canonical && KeepsText(*parts, *suffix, digits);
    return ParsedQuantity{.digits = parts->negative ? -value : value,
                          .scale = scale,
                          .format = suffix->format,
                          .text = keeps_text ? text : ""};
  }

  auto digits = AllDigitsOf(*parts);
  if (!digits) return Fail(NotAQuantity(text, "it has no digits"));
  if (binary) *digits <<= static_cast<unsigned>(suffix->exponent);
  const Rounded amount = RoundedAsKubernetesDoes(*digits, scale, binary);
  return ParsedQuantity{.digits = parts->negative ? BigInt(-amount.digits) : amount.digits,
                        .scale = amount.scale,
                        .format = amount.small_binary ? QuantityFormat::kDecimalSI : suffix->format,
                        .text = ""};
}

}  // namespace jettison
