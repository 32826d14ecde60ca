#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/model/signal.h"
#include "core/units/quantity.h"

// The signals that say how much of the recent past was lost to stalls, as the kernel counts them
// (PSI: Documentation/accounting/psi.rst). The kubelet has no such signals.
//
// An operator names the share above which it is too much: "memory.pressure.full.avg10: 20%". Inside
// they are like every other signal, something that runs out: what is *available* is the time that
// was not lost, its *capacity* all of it, and a threshold is met while less is available than its
// value. More than 20% lost is less than 80% available, exactly, because all of it is counted in
// hundredths of a percent, which is what the kernel tells.
namespace jettison {

// All of the time, in hundredths of a percent: the capacity of each pressure signal.
inline constexpr std::int32_t kWholeTime = 10'000;

inline constexpr std::size_t kPressureSignalCount = kPressureSignals.size();

// The place of a pressure signal among kPressureSignals.
[[nodiscard]] constexpr std::size_t PressureIndexOf(Signal pressure) {
  return static_cast<std::size_t>(std::ranges::find(kPressureSignals, pressure) -
                                  kPressureSignals.begin());
}

// The threshold value that stands for more than `share` being lost, and back. `share` in hundredths
// of a percent, 0 to kWholeTime.
[[nodiscard]] inline Quantity LeftOf(std::int32_t share) {
  return Quantity::Of(kWholeTime - share, QuantityFormat::kDecimalSI);
}
[[nodiscard]] inline std::int64_t LostOf(const Quantity& left) {
  return kWholeTime - left.Value();
}

// A share for people: "20%", "12.34%", "0.5%".
[[nodiscard]] inline std::string ShareText(std::int64_t hundredths) {
  constexpr std::int64_t kPerPercent = 100;
  std::string text = fmt::format("{}.{:02}", hundredths / kPerPercent, hundredths % kPerPercent);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text + '%';
}

}  // namespace jettison
