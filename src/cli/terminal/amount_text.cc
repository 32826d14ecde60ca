#include "cli/terminal/amount_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "core/model/pressure.h"

namespace jettison {
namespace {

bool IsBytes(Signal signal) {
  return UnitNameOf(signal) == "bytes";
}

}  // namespace

std::string BytesText(std::optional<std::int64_t> bytes) {
  if (!bytes) return "-";
  const double kib = static_cast<double>(*bytes) / 1024.0;
  if (std::abs(kib) < 1023.5) return fmt::format("{:.0f} KiB", kib);
  const double mib = kib / 1024.0;
  if (std::abs(mib) < 9.95) return fmt::format("{:.1f} MiB", mib);
  if (std::abs(mib) < 9999.5) return fmt::format("{:.0f} MiB", mib);
  const double gib = mib / 1024.0;
  if (std::abs(gib) < 999.95) return fmt::format("{:.1f} GiB", gib);
  return fmt::format("{:.1f} TiB", gib / 1024.0);
}

std::string AmountText(Signal signal, std::optional<std::int64_t> amount) {
  if (!amount) return "-";
  if (IsPressure(signal)) return ShareText(*amount);
  return IsBytes(signal) ? BytesText(amount) : fmt::format("{}", *amount);
}

std::string TrendText(Signal signal, std::optional<std::int64_t> per_second) {
  if (!per_second) return "-";
  constexpr std::int64_t kHardlyBytes = 512;  // less would be told as 0 KiB
  const std::int64_t size =
      std::abs(std::max(*per_second, -std::numeric_limits<std::int64_t>::max()));
  if (size == 0 || (IsBytes(signal) && size < kHardlyBytes)) return "steady";
  return fmt::format("{}{}/s", *per_second < 0 ? "-" : "+", AmountText(signal, size));
}

std::string SecondsText(Duration span) {
  return fmt::format("{:.1f} s", std::chrono::duration<double>(span).count());
}

std::string SpanText(Duration span) {
  const double seconds = std::max(std::chrono::duration<double>(span).count(), 0.0);
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  constexpr std::array<std::pair<double, const char*>, 4> kUnits = {
      {{1, "s"}, {60, "min"}, {3600, "h"}, {86400, "d"}}};
  constexpr double kMost = 120;  // of one unit, before the next is told
  for (const auto& [size, name] : kUnits) {
    if (seconds < kMost * size || size == kUnits.back().first) {
      return fmt::format("{:.0f} {}", seconds / size, name);
    }
  }
  __builtin_unreachable();
}

}  // namespace jettison
