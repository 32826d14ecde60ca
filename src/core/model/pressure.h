#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/model/signal.h"
#include "core/units/duration.h"
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

enum class StallKind : std::uint8_t {
  kSome,  // at least one task waited
  kFull,  // every task that was not idle waited
};

// What a pressure signal is about.
struct PressureSignal {
  Resource resource = Resource::kMemory;  // kMemory or kIo
  StallKind kind = StallKind::kSome;
  Duration window{0};  // of the kernel's average: 10 s or 60 s
};

inline constexpr std::array kPressureSignals = {
    Signal::kMemoryPressureFullAvg10, Signal::kMemoryPressureFullAvg60,
    Signal::kMemoryPressureSomeAvg10, Signal::kMemoryPressureSomeAvg60,
    Signal::kIoPressureFullAvg10,     Signal::kIoPressureFullAvg60,
    Signal::kIoPressureSomeAvg10,     Signal::kIoPressureSomeAvg60,
};
inline constexpr std::size_t kPressureSignalCount = kPressureSignals.size();

// What it is about; nothing for any other signal.
[[nodiscard]] std::optional<PressureSignal> PressureSignalOf(Signal signal);
[[nodiscard]] constexpr bool IsPressure(Signal signal) {
  return (signal >= Signal::kMemoryPressureFullAvg10 &&
          signal <= Signal::kMemoryPressureSomeAvg60) ||
         signal >= Signal::kIoPressureFullAvg10;
}

// The place of a pressure signal among kPressureSignals.
[[nodiscard]] constexpr std::size_t PressureIndexOf(Signal pressure) {
  constexpr std::size_t kMemoryFirst = IndexOf(Signal::kMemoryPressureFullAvg10);
  constexpr std::size_t kIoFirst = IndexOf(Signal::kIoPressureFullAvg10);
  const std::size_t index = IndexOf(pressure);
  return index < kIoFirst ? index - kMemoryFirst : index - kIoFirst + kPressureSignalCount / 2;
}

// The threshold value that stands for more than `share` being lost, and back. `share` in hundredths
// of a percent, 0 to kWholeTime.
[[nodiscard]] Quantity LeftOf(std::int32_t share);
[[nodiscard]] std::int64_t LostOf(const Quantity& left);

// A share for people: "20%", "12.34%", "0.5%".
[[nodiscard]] std::string ShareText(std::int64_t hundredths);

}  // namespace jettison
