#include "codec/prometheus/sample_number.h"

#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>

namespace jettison {

std::optional<double> ParseSampleNumber(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Inf") return std::numeric_limits<double>::infinity();
  if (text == "-Inf") return -std::numeric_limits<double>::infinity();
  double number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<Instant> InstantOfSeconds(double seconds) {
  constexpr double kMostSeconds = 9e9;
  if (!std::isfinite(seconds) || std::abs(seconds) > kMostSeconds) return std::nullopt;
  return Instant(std::chrono::milliseconds(std::llround(seconds * 1e3)));
}

}  // namespace jettison
