#include "core/thresholds/swap_thresholds.h"

#include <array>

#include "core/thresholds/go_float.h"

namespace jettison {
namespace {

constexpr std::array kSwapSignals = {Signal::kSwapAvailable};

// "512Mi", "10%". A percentage is read as the kubelet reads those of its own signals.
std::optional<ThresholdValue> SwapValueOf(std::string_view text) {
  if (text.ends_with('%')) {
    text.remove_suffix(1);
    const auto percent = ParseGoFloat32(text);
    if (!percent || !(*percent > 0 && *percent <= 100)) return std::nullopt;
    return Percentage{*percent / 100};
  }
  const auto amount = Quantity::Parse(text);
  if (!amount || amount->Sign() <= 0) return std::nullopt;
  return *amount;
}

std::string_view SwapWarningOf(const ThresholdValue& value) {
  const auto* percentage = std::get_if<Percentage>(&value);
  const bool all = percentage != nullptr && percentage->fraction == 1;
  return all ? "is met as soon as a single page is swapped out" : "";
}

}  // namespace

constinit const OwnSignals kSwapSettings = {
    .kind = "swap",
    .hard = "swapHard",
    .soft = "swapSoft",
    .soft_grace_period = "swapSoftGracePeriod",
    .signals = kSwapSignals,
    .value_of = SwapValueOf,
    .value_rule =
        "must be an amount such as 512Mi, more than zero, or a percentage of all swap such as 10%, "
        "more than 0% and at most 100%",
    .warning_of = SwapWarningOf};

}  // namespace jettison
