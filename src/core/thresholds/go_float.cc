#include "core/thresholds/go_float.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
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

// A number's text without underscores; absent: its syntax is wrong.
std::optional<std::string> ReadFloatText(std::string_view unsigned_text) {
  if (!UnderscoresStandRight(unsigned_text)) return std::nullopt;
  const bool hex = HasHexPrefix(unsigned_text);
  std::string number(unsigned_text);
  std::erase(number, '_');
  std::string_view text = number;
  if (hex) text.remove_prefix(2);
  const auto mantissa_end = MantissaEnd(text, hex);
  if (!mantissa_end) return std::nullopt;
  text.remove_prefix(*mantissa_end);
  if (text.empty() && !hex) return number;
  if (text.empty() || Lower(text[0]) != (hex ? 'p' : 'e')) return std::nullopt;
  text.remove_prefix(1);
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  if (text.empty() || !std::ranges::all_of(text, IsDigit)) return std::nullopt;
  return number;
}

}  // namespace

std::optional<float> ParseGoFloat32(std::string_view text) {
  if (const auto special = SpecialFloat(text)) return special;
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const auto number = ReadFloatText(text);
  if (!number) return std::nullopt;
  const float value = std::strtof(number->c_str(), nullptr);
  if (std::isinf(value)) return std::nullopt;
  return negative ? -value : value;
}

}  // namespace jettison
