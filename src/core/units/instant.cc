#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/units/duration.h"

namespace jettison {
namespace {

constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
constexpr std::int64_t kSecondsPerDay = 86'400;

// Reads RFC 3339 from left to right; after the first fault every result is zero.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] bool AtEnd() const { return rest_.empty(); }

  // A number of exactly that many digits, within the bounds.
  int Number(std::size_t digits, int least, int most) {
    int value = 0;
    if (rest_.size() < digits) return Failed();
    for (std::size_t i = 0; i < digits; ++i) {
      const int digit = rest_[i] - '0';
      if (digit < 0 || digit > 9) return Failed();
      value = value * 10 + digit;
    }
    rest_.remove_prefix(digits);
    return value < least || value > most ? Failed() : value;
  }

  void Literal(char c) {
    if (!Skip(c)) Failed();
  }

  bool Skip(char c) {
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  // The nanoseconds after the point; digits beyond the ninth are cut off.
  std::int64_t Fraction() {
    if (!Skip('.')) return 0;
    std::int64_t value = 0;
    std::int64_t place = kNanosPerSecond / 10;
    std::size_t digits = 0;
    for (; digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9'; ++digits) {
      value += (rest_[digits] - '0') * place;
      place /= 10;
    }
    if (digits == 0) return Failed();
    rest_.remove_prefix(digits);
    return value;
  }

  // Seconds east of Greenwich.
  std::int64_t Offset() {
    if (Skip('Z')) return 0;
    const bool east = Skip('+');
    if (!east) Literal('-');
    const int hours = Number(2, 0, 23);
    Literal(':');
    const int minutes = Number(2, 0, 59);
    const std::int64_t seconds = hours * 3600 + minutes * 60;
    return east ? seconds : -seconds;
  }

 private:
  int Failed() {
    failed_ = true;
    return 0;
  }

  std::string_view rest_;
  bool failed_ = false;
};

// Seconds since the epoch and nanoseconds after them.
struct Moment {
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;
};

std::optional<Moment> Read(std::string_view text) {
  Reader reader(text);
  const int year = reader.Number(4, 0, 9999);
  reader.Literal('-');
  const auto month = static_cast<unsigned>(reader.Number(2, 1, 12));
  reader.Literal('-');
  const auto day = static_cast<unsigned>(reader.Number(2, 1, 31));
  reader.Literal('T');
  const std::int64_t hour = reader.Number(2, 0, 23);
  reader.Literal(':');
  const std::int64_t minute = reader.Number(2, 0, 59);
  reader.Literal(':');
  const std::int64_t second = reader.Number(2, 0, 59);
  const std::int64_t nanoseconds = reader.Fraction();
  const std::int64_t offset = reader.Offset();
  if (reader.failed() || !reader.AtEnd()) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(day)};
  if (!date.ok()) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return Moment{days * kSecondsPerDay + hour * 3600 + minute * 60 + second - offset, nanoseconds};
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
