#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/text/number.h"
#include "core/units/duration.h"

namespace jettison {
namespace {

constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
constexpr std::int64_t kSecondsPerDay = 86'400;

// Seconds since the epoch and nanoseconds after them.
struct Moment {
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;
};

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

std::optional<Moment> Read(std::string_view text) {
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
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return Moment{days * kSecondsPerDay + hour * 3600 + minute * 60 + second - *offset, *nanoseconds};
}

std::int64_t FloorDivide(std::int64_t value, std::int64_t divisor) {
  return value / divisor - (value % divisor < 0 ? 1 : 0);
}

}  // namespace

Result<Instant> ParseInstant(std::string_view text) {
  const auto moment = Read(text);
  if (!moment) return NotA("an instant", text, "write RFC 3339, such as 2026-01-31T12:00:00Z");
  std::int64_t nanoseconds = 0;
  // Below zero the fraction is counted from the other side, so that the smallest instant does not
  // overflow.
  const bool back = moment->seconds < 0 && moment->nanoseconds > 0;
  const std::int64_t seconds = moment->seconds + (back ? 1 : 0);
  const std::int64_t fraction = moment->nanoseconds - (back ? kNanosPerSecond : 0);
  if (__builtin_mul_overflow(seconds, kNanosPerSecond, &nanoseconds) ||
      __builtin_add_overflow(nanoseconds, fraction, &nanoseconds)) {
    return NotA("an instant", text, "it must lie between the years 1678 and 2261");
  }
  return Instant(Duration(nanoseconds));
}

std::string_view WhyNoInstant(std::string_view text, std::string_view otherwise) {
  const bool is_out_of_range = Read(text) && !ParseInstant(text);
  return is_out_of_range ? "must lie between the years 1678 and 2261" : otherwise;
}

std::string FormatInstant(Instant instant) {
  const std::int64_t total = instant.time_since_epoch().count();
  const std::int64_t seconds = FloorDivide(total, kNanosPerSecond);
  const std::int64_t rest = total % kNanosPerSecond;
  const std::int64_t fraction = rest < 0 ? rest + kNanosPerSecond : rest;
  const std::int64_t days = FloorDivide(seconds, kSecondsPerDay);
  const std::int64_t of_day = seconds - days * kSecondsPerDay;
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(days))};
  std::string text =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:09}", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  of_day / 3600, of_day / 60 % 60, of_day % 60, fraction);
  text.erase(fraction == 0 ? 19 : text.find_last_not_of('0') + 1);
  return text += 'Z';
}

}  // namespace jettison
