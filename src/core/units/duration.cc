#include "core/units/duration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/text/number.h"
#include "core/units/quantity.h"

namespace jettison {
namespace {

__extension__ using Wide = unsigned __int128;
constexpr Wide kLimit = Wide{1} << 63;  // the magnitude of the least duration
constexpr Wide kTooMuch = kLimit + 1;
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

// The digits before a point. More than 2^63 count as one more than that, which is too long in any
// unit.
Wide TakeWhole(std::string_view& text) {
  Wide value = 0;
  for (; !text.empty() && IsDigit(text[0]); text.remove_prefix(1)) {
    value = std::min(value * 10 + static_cast<Wide>(text[0] - '0'), kTooMuch);
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

// One number and its unit in nanoseconds; absent: it is none.
std::optional<Wide> TakeTerm(std::string_view& text) {
  const std::size_t before = text.size();
  const Wide whole = TakeWhole(text);
  bool digits = text.size() != before;
  Fraction fraction;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    const std::size_t point = text.size();
    fraction = TakeFraction(text);
    digits = digits || text.size() != point;
  }
  const auto unit = UnitNamed(TakeUnit(text));
  if (!digits || !unit) return std::nullopt;
  // The order of operations is Go's, because its rounding affects the result.
  return whole * *unit + static_cast<std::uint64_t>(static_cast<double>(fraction.digits) *
                                                    (static_cast<double>(*unit) / fraction.scale));
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

constexpr std::int64_t kNanos = 1'000'000'000;  // of a second
constexpr std::int64_t kSecondsPerDay = 86'400;

// Whether the text begins with a digit for each "d" of the form, and with its other characters.
bool HasForm(std::string_view text, std::string_view form) {
  return text.size() >= form.size() &&
         std::equal(form.begin(), form.end(), text.begin(),
                    [](char f, char c) { return f == 'd' ? IsDigit(c) : f == c; });
}

int NumberAt(std::string_view text, std::size_t at, std::size_t digits = 2) {
  return ParseNumber<int>(text.substr(at, digits)).value_or(0);
}

// Takes the nanoseconds after a point, if there is one; digits beyond the ninth are cut off.
std::optional<std::int64_t> TakeNanoseconds(std::string_view& text) {
  if (!text.starts_with('.')) return 0;
  text.remove_prefix(1);
  std::string digits(text.substr(0, text.find_first_not_of("0123456789")));
  if (digits.empty()) return std::nullopt;
  text.remove_prefix(digits.size());
  digits.resize(9, '0');
  return ParseNumber<std::int64_t>(digits);
}

// Seconds east of Greenwich.
std::optional<std::int64_t> OffsetOf(std::string_view text) {
  if (text == "Z") return 0;
  const bool is_east = text.starts_with('+');
  if (text.size() != 6 || !HasForm(text, is_east ? "+dd:dd" : "-dd:dd")) return std::nullopt;
  const int hours = NumberAt(text, 1);
  const int minutes = NumberAt(text, 4);
  if (hours > 23 || minutes > 59) return std::nullopt;
  return (is_east ? 1 : -1) * (hours * 3600 + minutes * 60);
}

// Nanoseconds since the epoch, in any year from 0 to 9999.
std::optional<Int128> ReadInstant(std::string_view text) {
  constexpr std::string_view kForm = "dddd-dd-ddTdd:dd:dd";
  if (!HasForm(text, kForm)) return std::nullopt;
  const std::chrono::year_month_day date{
      std::chrono::year(NumberAt(text, 0, 4)),
      std::chrono::month(static_cast<unsigned>(NumberAt(text, 5))),
      std::chrono::day(static_cast<unsigned>(NumberAt(text, 8)))};
  const int hour = NumberAt(text, 11);
  const int minute = NumberAt(text, 14);
  const int second = NumberAt(text, 17);
  text.remove_prefix(kForm.size());
  const auto nanoseconds = TakeNanoseconds(text);
  const auto offset = OffsetOf(text);
  if (!date.ok() || hour > 23 || minute > 59 || second > 59 || !nanoseconds || !offset) {
    return std::nullopt;
  }
  const Int128 days = std::chrono::sys_days(date).time_since_epoch().count();
  const Int128 seconds = days * kSecondsPerDay + hour * 3600 + minute * 60 + second - *offset;
  return seconds * kNanos + *nanoseconds;
}

}  // namespace

Result<Duration> ParseDuration(std::string_view text) {
  constexpr std::string_view kForm = "write a number and a unit, such as 1m30s";
  const bool negative = text.starts_with('-');
  std::string_view rest = text.substr(negative || text.starts_with('+') ? 1 : 0);
  if (rest == "0") return Duration{0};
  if (rest.empty()) return NotA("a duration", text, kForm);
  Wide sum = 0;
  while (!rest.empty()) {
    const auto term = TakeTerm(rest);
    if (!term) return NotA("a duration", text, kForm);
    sum = std::min(sum + *term, kTooMuch);
  }
  if (sum >= kLimit + (negative ? 1 : 0)) {
    return NotA("a duration", text, "it is longer than 292 years");
  }
  const auto nanoseconds = static_cast<std::uint64_t>(sum);
  return Duration(static_cast<std::int64_t>(negative ? 0 - nanoseconds : nanoseconds));
}

std::string FormatDuration(Duration duration) {
  const std::int64_t count = duration.count();
  if (count == 0) return "0s";
  const auto bits = static_cast<std::uint64_t>(count);
  std::string text(count < 0 ? 1 : 0, '-');
  return text += FormatMagnitude(count < 0 ? 0 - bits : bits);
}

Result<Instant> ParseInstant(std::string_view text) {
  const auto nanoseconds = ReadInstant(text);
  if (!nanoseconds) return NotA("an instant", text, "write RFC 3339, such as 2026-01-31T12:00:00Z");
  if (!FitsInt64(*nanoseconds)) {
    return NotA("an instant", text, "it must lie between the years 1678 and 2261");
  }
  return Instant(Duration(static_cast<std::int64_t>(*nanoseconds)));
}

std::string FormatInstant(Instant instant) {
  const std::int64_t total = instant.time_since_epoch().count();
  const std::int64_t rest = total % kNanos;
  const std::int64_t fraction = rest < 0 ? rest + kNanos : rest;
  const std::chrono::sys_seconds second{std::chrono::seconds(total / kNanos - (rest < 0 ? 1 : 0))};
  const auto day = std::chrono::floor<std::chrono::days>(second);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss of_day(second - day);
  std::string text = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:09}",
                                 static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                                 static_cast<unsigned>(date.day()), of_day.hours().count(),
                                 of_day.minutes().count(), of_day.seconds().count(), fraction);
  text.erase(fraction == 0 ? 19 : text.find_last_not_of('0') + 1);
  return text += 'Z';
}

}  // namespace jettison
