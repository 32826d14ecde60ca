#include "core/units/duration.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "core/text/number.h"

namespace jettison {
namespace {

constexpr std::uint64_t kLimit = std::uint64_t{1} << 63;  // the magnitude of the least duration
constexpr std::uint64_t kSecond = 1'000'000'000;

// The nanoseconds of a unit; absent for a name that Go does not know.
std::optional<std::uint64_t> UnitNamed(std::string_view name) {
  struct Unit {
    std::string_view name;
    std::uint64_t nanoseconds;
  };
  constexpr std::array<Unit, 8> kUnits = {{
      {"ns", 1},
      {"us", 1'000},
      {"\u00b5s", 1'000},  // micro sign
      {"\u03bcs", 1'000},  // Greek mu
      {"ms", 1'000'000},
      {"s", kSecond},
      {"m", 60 * kSecond},
      {"h", 3600 * kSecond},
  }};
  for (const Unit& unit : kUnits) {
    if (unit.name == name) return unit.nanoseconds;
  }
  return std::nullopt;
}

// The digits before a point. Absent: more than 2^63.
std::optional<std::uint64_t> TakeWhole(std::string_view& text) {
  std::uint64_t value = 0;
  while (!text.empty() && IsDigit(text[0])) {
    if (value > kLimit / 10) return std::nullopt;
    value = value * 10 + static_cast<std::uint64_t>(text[0] - '0');
    if (value > kLimit) return std::nullopt;
    text.remove_prefix(1);
  }
  return value;
}

// The digits after a point, as digits / scale. Digits that no longer fit in 63 bits do not matter
// and are left out.
struct Fraction {
  std::uint64_t digits = 0;
  double scale = 1;
};

Fraction TakeFraction(std::string_view& text) {
  Fraction fraction;
  bool full = false;
  for (; !text.empty() && IsDigit(text[0]); text.remove_prefix(1)) {
    if (full) continue;
    const auto digit = static_cast<std::uint64_t>(text[0] - '0');
    if (fraction.digits > (kLimit - 1) / 10 || fraction.digits * 10 + digit > kLimit) {
      full = true;
      continue;
    }
    fraction.digits = fraction.digits * 10 + digit;
    fraction.scale *= 10;
  }
  return fraction;
}

std::string_view TakeUnit(std::string_view& text) {
  std::size_t size = 0;
  while (size < text.size() && text[size] != '.' && !IsDigit(text[size])) ++size;
  const std::string_view unit = text.substr(0, size);
  text.remove_prefix(size);
  return unit;
}

constexpr std::string_view kTooLong = "it is longer than 292 years";

// One number and its unit in nanoseconds, or what is wrong with it.
tl::expected<std::uint64_t, std::string_view> TakeTerm(std::string_view& text) {
  if (!IsDigit(text[0]) && text[0] != '.') {
    return tl::unexpected<std::string_view>("a number must come before each unit");
  }
  const std::size_t before = text.size();
  const auto whole = TakeWhole(text);
  if (!whole) return tl::unexpected(kTooLong);
  bool digits = text.size() != before;
  Fraction fraction;
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    const std::size_t point = text.size();
    fraction = TakeFraction(text);
    digits = digits || text.size() != point;
  }
  if (!digits) return tl::unexpected<std::string_view>("a point needs a digit beside it");
  const std::string_view name = TakeUnit(text);
  if (name.empty()) return tl::unexpected<std::string_view>("a unit is missing, such as in 30s");
  const auto unit = UnitNamed(name);
  if (!unit) return tl::unexpected<std::string_view>("units are ns, us, ms, s, m and h");
  if (*whole > kLimit / *unit) return tl::unexpected(kTooLong);
  std::uint64_t term = *whole * *unit;
  if (fraction.digits > 0) {
    // The order of operations is Go's, because its rounding affects the result.
    term += static_cast<std::uint64_t>(static_cast<double>(fraction.digits) *
                                       (static_cast<double>(*unit) / fraction.scale));
    if (term > kLimit) return tl::unexpected(kTooLong);
  }
  return term;
}

// A number with up to nine digits after the point, without trailing zeros.
std::string WithFraction(std::uint64_t whole, std::uint64_t fraction, int places) {
  if (fraction == 0) return fmt::format("{}", whole);
  std::string text = fmt::format("{}.{:0{}}", whole, fraction, places);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

std::string FormatMagnitude(std::uint64_t nanoseconds) {
  if (nanoseconds < 1'000) return fmt::format("{}ns", nanoseconds);
  if (nanoseconds < 1'000'000) {
    return WithFraction(nanoseconds / 1'000, nanoseconds % 1'000, 3) + "\u00b5s";
  }
  if (nanoseconds < kSecond) {
    return WithFraction(nanoseconds / 1'000'000, nanoseconds % 1'000'000, 6) + "ms";
  }
  const std::uint64_t seconds = nanoseconds / kSecond;
  std::string text;
  if (seconds >= 3600) text += fmt::format("{}h", seconds / 3600);
  if (seconds >= 60) text += fmt::format("{}m", seconds / 60 % 60);
  return text + WithFraction(seconds % 60, nanoseconds % kSecond, 9) + "s";
}

tl::expected<Duration, std::string_view> ReadDuration(std::string_view text) {
  std::string_view rest = text;
  const bool negative = !rest.empty() && rest[0] == '-';
  if (negative || (!rest.empty() && rest[0] == '+')) rest.remove_prefix(1);
  if (rest == "0") return Duration::zero();
  if (rest.empty()) {
    return tl::unexpected<std::string_view>("it is empty; write a number and a unit such as 30s");
  }
  std::uint64_t total = 0;
  while (!rest.empty()) {
    const auto term = TakeTerm(rest);
    if (!term) return tl::unexpected(term.error());
    total += *term;
    if (total > kLimit) return tl::unexpected(kTooLong);
  }
  if (!negative && total == kLimit) return tl::unexpected(kTooLong);
  return Duration(static_cast<std::int64_t>(negative ? 0 - total : total));
}

}  // namespace

Result<Duration> ParseDuration(std::string_view text) {
  const auto duration = ReadDuration(text);
  if (!duration) return NotA("a duration", text, duration.error());
  return *duration;
}

std::string_view WhyNoDuration(std::string_view text, std::string_view otherwise) {
  const auto duration = ReadDuration(text);
  const bool is_too_long = !duration && duration.error() == kTooLong && !text.starts_with('-');
  return is_too_long ? "must be at most 2562047h47m16.854775807s, which is 292 years" : otherwise;
}

std::string FormatDuration(Duration duration) {
  const std::int64_t count = duration.count();
  if (count == 0) return "0s";
  const auto bits = static_cast<std::uint64_t>(count);
  std::string text(count < 0 ? 1 : 0, '-');
  return text += FormatMagnitude(count < 0 ? 0 - bits : bits);
}

}  // namespace jettison
