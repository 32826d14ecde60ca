#include "core/explanation/amounts.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "core/explanation/explanation.h"
#include "core/model/pressure.h"
#include "core/observe/observations.h"

namespace jettison {

std::string AmountText(Signal signal, std::int64_t amount) {
  if (UnitNameOf(signal) == "share") return ShareText(amount);
  return Quantity::Of(amount, FormatOf(signal)).ToString();
}

std::string RoundText(Signal signal, std::int64_t amount) {
  constexpr std::int64_t kKi = 1024;
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  const bool small = amount > -kKi && amount < kKi;
  if (UnitNameOf(signal) != "bytes" || small || amount > kMost || amount < -kMost) {
    return AmountText(signal, amount);
  }
  const std::int64_t half = amount < 0 ? -kKi / 2 : kKi / 2;
  return AmountText(signal, (amount / kKi + (amount % kKi + half) / kKi) * kKi);
}

std::string RoughText(Signal signal, std::int64_t amount) {
  constexpr double kKi = 1024;
  constexpr std::array<const char*, 5> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB"};
  constexpr std::size_t kShort = 6;  // "1000Mi"
  if (UnitNameOf(signal) != "bytes" || AmountText(signal, amount).size() <= kShort) return "";
  double value = static_cast<double>(amount) / kKi;
  std::size_t unit = 0;
  for (; std::abs(value) >= kKi && unit + 1 < kUnits.size(); ++unit) value /= kKi;
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string BothTexts(Signal signal, std::int64_t amount) {
  const std::string rough = RoughText(signal, amount);
  const std::string exact = AmountText(signal, amount);
  return rough.empty() ? exact : fmt::format("{} ({})", exact, rough);
}

std::string ValueText(Signal signal, const ThresholdValue& value) {
  if (const auto* share = std::get_if<Percentage>(&value)) {
    return fmt::format("{:.6g}%", static_cast<double>(share->fraction) * 100);
  }
  const auto& amount = std::get<Quantity>(value);
  return IsPressure(signal) ? ShareText(LostOf(amount)) : amount.ToString();
}

std::string ShortDuration(Duration duration) {
  return FormatDuration(std::chrono::duration_cast<std::chrono::milliseconds>(duration));
}

}  // namespace jettison
