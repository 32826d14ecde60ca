#include "core/thresholds/pressure_thresholds.h"

#include <charconv>
#include <cstdint>

#include "core/model/pressure.h"

namespace jettison {
namespace {

std::optional<std::int32_t> Digits(std::string_view text, std::size_t most) {
  std::int32_t number = 0;
  if (text.empty() || text.size() > most || text.front() == '-') return std::nullopt;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

// Parses "20%" or "2.5%": the lost share of the time, more than 0% and at most 100%.
std::optional<ThresholdValue> PressureValueOf(std::string_view text) {
  constexpr std::size_t kDecimals = 2;
  if (!text.ends_with('%')) return std::nullopt;
  text.remove_suffix(1);
  const auto point = text.find('.');
  const auto percent = Digits(text.substr(0, point), 3);
  std::optional<std::int32_t> hundredths = 0;
  if (point != std::string_view::npos) {
    const std::string_view decimals = text.substr(point + 1);
    hundredths = Digits(decimals, kDecimals);
    if (hundredths && decimals.size() == 1) *hundredths *= 10;
  }
  if (!percent || !hundredths) return std::nullopt;
  const std::int32_t share = *percent * 100 + *hundredths;
  if (share <= 0 || share > kWholeTime) return std::nullopt;
  return LeftOf(share);
}

std::string_view PressureWarningOf(const ThresholdValue& value) {
  const bool all = LostOf(std::get<Quantity>(value)) == kWholeTime;
  return all ? "is never met: no average is above all of the time" : "";
}

}  // namespace

constinit const OwnSignals kPressureSettings = {
    .kind = "pressure",
    .hard = "pressureHard",
    .soft = "pressureSoft",
    .soft_grace_period = "pressureSoftGracePeriod",
    .signals = kPressureSignals,
    .value_of = PressureValueOf,
    .value_rule =
        "must be a percentage such as 20% or 2.5%, more than 0% and at most 100%, with two "
        "decimals at most",
    .warning_of = PressureWarningOf};

}  // namespace jettison
