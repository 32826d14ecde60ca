#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "codec/documents/room.h"
#include "core/text/number.h"

namespace jettison::documents {
namespace {

template <std::size_t kSize>
bool IsOneOf(std::string_view text, const std::array<std::string_view, kSize>& words) {
  return std::ranges::find(words, text) != words.end();
}

constexpr std::array<std::string_view, 11> kTrue = {"y",    "Y",    "yes", "Yes", "YES", "true",
                                                    "True", "TRUE", "on",  "On",  "ON"};
constexpr std::array<std::string_view, 11> kFalse = {"n",     "N",     "no",  "No",  "NO", "false",
                                                     "False", "FALSE", "off", "Off", "OFF"};
constexpr std::array<std::string_view, 5> kNull = {"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 12> kNoJsonNumber = {".nan",  ".NaN",  ".NAN",  ".inf",
                                                            ".Inf",  ".INF",  "+.inf", "+.Inf",
                                                            "+.INF", "-.inf", "-.Inf", "-.INF"};

std::string_view WithoutLeadingZeros(std::string_view digits) {
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  return digits.empty() ? "0" : digits;
}

// "0x1f", "0b101", "0o17", "017": the digits behind the prefix and their base.
std::optional<std::pair<std::string_view, int>> BasedDigits(std::string_view text) {
  if (text.size() < 2 || text[0] != '0') return std::nullopt;
  switch (text[1]) {
    case 'x':
    case 'X': return std::pair(text.substr(2), 16);
    case 'b':
    case 'B': return std::pair(text.substr(2), 2);
    case 'o':
    case 'O': return std::pair(text.substr(2), 8);
    default: return std::pair(text.substr(1), 8);
  }
}

// An integer written in another base than ten, as decimal text; at most 64 bits wide.
std::optional<std::string> BasedInteger(std::string_view sign, std::string_view text) {
  const auto based = BasedDigits(text);
  if (!based || based->first.empty()) return std::nullopt;
  std::uint64_t number = 0;
  const char* end = based->first.data() + based->first.size();
  const auto [stop, error] = std::from_chars(based->first.data(), end, number, based->second);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return fmt::format("{}{}", number == 0 ? "" : sign, number);
}

// [0-9]+(.[0-9]*)? or .[0-9]+, then ([eE][-+]?[0-9]+)?, rewritten the way JSON writes it.
std::optional<std::string> DecimalNumber(std::string_view sign, std::string_view rest) {
  const std::string_view whole = TakeDigits(rest);
  std::string_view fraction;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    fraction = TakeDigits(rest);
  }
  if (whole.empty() && fraction.empty()) return std::nullopt;
  std::string number = fmt::format("{}{}", sign, WithoutLeadingZeros(whole));
  if (!fraction.empty()) number += fmt::format(".{}", fraction);
  if (rest.empty()) return number;
  if (rest[0] != 'e' && rest[0] != 'E') return std::nullopt;
  rest.remove_prefix(1);
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  const std::string_view exponent = TakeDigits(rest);
  if (exponent.empty() || !rest.empty()) return std::nullopt;
  return number + fmt::format("e{}{}", negative ? "-" : "", exponent);
}

std::optional<std::string> NumberOf(std::string_view text) {
  const bool may_be_number =
      !text.empty() && (IsDigit(text[0]) || text[0] == '+' || text[0] == '-' || text[0] == '.');
  if (!may_be_number) return std::nullopt;
  std::string digits(text);
  if (text[0] != '.') std::erase(digits, '_');
  std::string_view rest = digits;
  const std::string_view sign = rest.starts_with('-') ? "-" : "";
  if (rest.starts_with('-') || rest.starts_with('+')) rest.remove_prefix(1);
  if (auto integer = BasedInteger(sign, rest)) return integer;
  return DecimalNumber(sign, rest);
}

}  // namespace

std::string_view TakeDigits(std::string_view& rest) {
  const auto end = std::ranges::find_if_not(rest, IsDigit);
  const auto digits = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
  rest.remove_prefix(digits.size());
  return digits;
}

Result<Value> ResolvePlainScalar(std::string_view text, int line) {
  if (IsOneOf(text, kNull)) return Value(Value::Null{}, line);
  if (IsOneOf(text, kTrue)) return Value(true, line);
  if (IsOneOf(text, kFalse)) return Value(false, line);
  if (IsOneOf(text, kNoJsonNumber)) {
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format(
            "line {}: {} is not a number that Kubernetes can hold; put it in quotes if it is text",
            line, text));
  }
  if (auto number = NumberOf(text)) return Value(Value::Number{*std::move(number)}, line);
  return Value(std::string(text), line);
}

}  // namespace jettison::documents
