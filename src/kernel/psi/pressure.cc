#include "kernel/psi/pressure.h"

#include <fmt/format.h>

#include <charconv>
#include <string>
#include <system_error>

namespace jettison::psi {
namespace {

constexpr std::int32_t kAll = 10'000;

tl::unexpected<Error> FailText(std::string_view what, std::string_view text) {
  constexpr std::size_t kQuoted = 60;
  return Fail(ErrorCode::kInternal,
              fmt::format("expected {}, found {:?}", what, std::string(text.substr(0, kQuoted))));
}

template <typename T>
std::optional<T> Number(std::string_view text) {
  T value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

// "12.34", always with two decimals.
std::optional<std::int32_t> Share(std::string_view text) {
  constexpr std::size_t kDecimals = 2;
  constexpr std::int32_t kPerPercent = 100;
  const auto point = text.find('.');
  if (point == std::string_view::npos || text.size() != point + 1 + kDecimals) return std::nullopt;
  const auto percent = Number<std::uint8_t>(text.substr(0, point));
  const auto decimals = Number<std::uint8_t>(text.substr(point + 1));
  if (!percent || !decimals) return std::nullopt;
  const std::int32_t share = *percent * kPerPercent + *decimals;
  if (share > kAll) return std::nullopt;
  return share;
}

// The word up to the next space, which is taken off `text`.
std::string_view TakeWord(std::string_view& text) {
  const auto end = text.find(' ');
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return word;
}

// The value of "KEY=VALUE" if it has this key.
std::optional<std::string_view> ValueOf(std::string_view word, std::string_view key) {
  if (!word.starts_with(key) || !word.substr(key.size()).starts_with('=')) return std::nullopt;
  return word.substr(key.size() + 1);
}

// "avg10=0.00 avg60=0.00 avg300=0.00 total=0", in any order, among other keys.
Result<StallLine> ParseFigures(std::string_view line) {
  std::optional<std::int32_t> avg10;
  std::optional<std::int32_t> avg60;
  std::optional<std::int32_t> avg300;
  std::optional<std::uint64_t> total;
  for (std::string_view rest = line; !rest.empty();) {
    const std::string_view word = TakeWord(rest);
    if (const auto ten = ValueOf(word, "avg10")) avg10 = Share(*ten);
    if (const auto sixty = ValueOf(word, "avg60")) avg60 = Share(*sixty);
    if (const auto long_one = ValueOf(word, "avg300")) avg300 = Share(*long_one);
    if (const auto sum = ValueOf(word, "total")) total = Number<std::uint64_t>(*sum);
  }
  if (!avg10 || !avg60 || !avg300 || !total) {
    return FailText("avg10=, avg60=, avg300= and total=", line);
  }
  return StallLine{.avg10 = *avg10, .avg60 = *avg60, .avg300 = *avg300, .total = *total};
}

}  // namespace

Result<Pressure> ParsePressure(std::string_view text) {
  std::optional<StallLine> some;
  std::optional<StallLine> full;
  for (std::string_view rest = text; !rest.empty();) {
    const auto end = rest.find('\n');
    if (end == std::string_view::npos) return FailText("whole lines", rest);
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    const std::string_view kind = TakeWord(line);
    if (kind != "some" && kind != "full") continue;
    auto& into = kind == "some" ? some : full;
    if (into) return FailText(fmt::format("one line {}", kind), text);
    const auto figures = ParseFigures(line);
    if (!figures) return Fail(figures.error().In(kind));
    into = *figures;
  }
  if (!some) return FailText("a line some", text);
  return Pressure{.some = *some, .full = full};
}

PressureStats StatsOf(const Pressure& pressure, Instant time) {
  const auto shares = [](const StallLine& line) {
    return StallShares{.avg10 = line.avg10, .avg60 = line.avg60};
  };
  return {.time = time,
          .some = shares(pressure.some),
          .full = pressure.full ? shares(*pressure.full) : StallShares{}};
}

}  // namespace jettison::psi
