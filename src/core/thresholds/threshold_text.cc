#include "core/thresholds/threshold_text.h"

#include <fmt/format.h>

#include <limits>

#include "core/thresholds/go_float.h"

namespace jettison {
namespace {

constexpr int kEnoughDigits = std::numeric_limits<float>::max_digits10;

// Whether the text before the % is parsed as this share.
bool Reads(const std::string& text, float fraction) {
  const auto number = ParseGoFloat32(text);
  return number && *number / 100 == fraction;
}

std::string PercentText(float fraction) {
  const double percent = static_cast<double>(fraction) * 100;
  for (int digits = 1; digits <= kEnoughDigits; ++digits) {
    const std::string text = fmt::format("{:.{}g}", percent, digits);
    const bool plain = text.find('e') == std::string::npos;
    if (plain && Reads(text, fraction)) return text;
  }
  // The division by 100 rounds, so the number may have been a neighbour.
  const auto nearest = static_cast<float>(percent);
  for (const float end : {nearest, 0.0F, std::numeric_limits<float>::infinity()}) {
    const std::string text = fmt::format("{}", std::nextafter(nearest, end));
    if (Reads(text, fraction)) return text;
  }
  return fmt::format("{}", nearest);
}

}  // namespace

std::string ThresholdText(const ThresholdValue& value) {
  if (const auto* amount = std::get_if<Quantity>(&value)) return amount->ToString();
  return PercentText(std::get<Percentage>(value).fraction) + "%";
}

}  // namespace jettison
