#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace jettison {

// A number in decimals and nothing else, within the range of its type; absent where the text is
// anything else.
template <typename T>
[[nodiscard]] std::optional<T> ParseNumber(std::string_view text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

// Of ASCII alone, whatever the locale.
[[nodiscard]] constexpr bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
[[nodiscard]] constexpr char Lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace jettison
