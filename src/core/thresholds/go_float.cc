#include "core/thresholds/go_float.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "core/text/ascii.h"

namespace jettison {
namespace {

bool IsHexDigit(char c) {
  return IsDigit(c) || (Lower(c) >= 'a' && Lower(c) <= 'f');
}

bool HasHexPrefix(std::string_view text) {
  return text.size() > 2 && text[0] == '0' && Lower(text[1]) == 'x';
}

// "inf", "infinity" (signed or not) and "nan" (unsigned), in any case.
std::optional<float> SpecialFloat(std::string_view text) {
  std::string word(text);
  std::ranges::transform(word, word.begin(), Lower);
  if (word == "nan") return std::numeric_limits<float>::quiet_NaN();
  const bool negative = word.starts_with('-');
  if (negative || word.starts_with('+')) word.erase(0, 1);
  if (word != "inf" && word != "infinity") return std::nullopt;
  const float infinity = std::numeric_limits<float>::infinity();
  return negative ? -infinity : infinity;
}

// Whether each underscore stands between digits or between the base prefix and a digit, as in Go's
// literals. `text` has no sign.
bool UnderscoresStandRight(std::string_view text) {
  char before = '^';  // '0' after a digit, '_' after an underscore, else anything
  const bool hex = HasHexPrefix(text);
  if (hex) {
    text.remove_prefix(2);
    before = '0';
  }
  for (const char c : text) {
    const bool digit = hex ? IsHexDigit(c) : IsDigit(c);
    if (c == '_' && before != '0') return false;
    if (c != '_' && !digit && before == '_') return false;
    before = digit ? '0' : c;
  }
  return before != '_';
}

// A number's text without sign, prefix and underscores, its syntax checked.
struct FloatText {
  std::string digits;  // as std::from_chars reads it
  bool hex = false;
  bool negative_exponent = false;
};

// [digits][.digits] with at least one digit; where it ends.
std::optional<std::size_t> MantissaEnd(std::string_view text, bool hex) {
  std::size_t i = 0;
  bool saw_digit = false;
  bool saw_point = false;
  for (; i < text.size(); ++i) {
    const bool digit = hex ? IsHexDigit(text[i]) : IsDigit(text[i]);
    if (!digit && (text[i] != '.' || saw_point)) break;
    saw_digit = saw_digit || digit;
    saw_point = saw_point || !digit;
  }
  if (!saw_digit) return std::nullopt;
  return i;
}

std::optional<FloatText> ReadFloatText(std::string_view unsigned_text) {
  if (!UnderscoresStandRight(unsigned_text)) return std::nullopt;
  FloatText number;
  number.hex = HasHexPrefix(unsigned_text);
  number.digits = unsigned_text.substr(number.hex ? 2 : 0);
  std::erase(number.digits, '_');
  const std::string_view text = number.digits;
  const auto mantissa_end = MantissaEnd(text, number.hex);
  if (!mantissa_end) return std::nullopt;
  std::size_t i = *mantissa_end;
  if (i == text.size() && !number.hex) return number;
  if (i == text.size() || Lower(text[i]) != (number.hex ? 'p' : 'e')) return std::nullopt;
  ++i;
  number.negative_exponent = i < text.size() && text[i] == '-';
  if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
  const std::string_view exponent = text.substr(i);
  if (exponent.empty() || !std::ranges::all_of(exponent, IsDigit)) return std::nullopt;
  return number;
}

// A number that does not fit a float is zero if it is too small, and an error if it is too large.
std::optional<float> OutOfRange(const FloatText& number, std::chars_format format) {
  double wider = 0;
  const char* end = number.digits.data() + number.digits.size();
  const auto [stop, error] = std::from_chars(number.digits.data(), end, wider, format);
  const bool too_small = error == std::errc{} ? wider < 1 : number.negative_exponent;
  if (!too_small) return std::nullopt;
  return static_cast<float>(wider);  // zero, or the nearest denormal
}

}  // namespace

std::optional<float> ParseGoFloat32(std::string_view text) {
  if (const auto special = SpecialFloat(text)) return special;
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const auto number = ReadFloatText(text);
  if (!number) return std::nullopt;
  const auto format = number->hex ? std::chars_format::hex : std::chars_format::general;
  std::optional<float> value = 0.0F;
  const char* end = number->digits.data() + number->digits.size();
  const auto [stop, error] = std::from_chars(number->digits.data(), end, *value, format);
  if (error == std::errc::result_out_of_range) value = OutOfRange(*number, format);
  if (!value || std::isinf(*value)) return std::nullopt;
  return negative ? -*value : *value;
}

}  // namespace jettison
