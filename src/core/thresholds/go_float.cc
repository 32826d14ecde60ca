#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <system_error>

#include "core/text/number.h"
#include "core/thresholds/threshold_parsing.h"

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

// Whether the text is a number as Go writes it, without sign and underscores.
bool IsNumber(std::string_view text, bool hex) {
  if (hex) text.remove_prefix(2);
  const bool begins = text.starts_with('.') || (!text.empty() && IsHexDigit(text[0]));
  if (!begins || (hex && text.find_first_of("pP") == std::string_view::npos)) return false;
  float unused = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(
      text.data(), end, unused, hex ? std::chars_format::hex : std::chars_format::general);
  return error != std::errc::invalid_argument && stop == end;
}

}  // namespace

std::optional<float> ParseGoFloat32(std::string_view text) {
  if (const auto special = SpecialFloat(text)) return special;
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (!UnderscoresStandRight(text)) return std::nullopt;
  std::string number(text);
  std::erase(number, '_');
  if (!IsNumber(number, HasHexPrefix(text))) return std::nullopt;
  const float value = std::strtof(number.c_str(), nullptr);
  if (std::isinf(value)) return std::nullopt;
  return negative ? -value : value;
}

}  // namespace jettison
