#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/model/summary.h"
#include "core/units/duration.h"
#include "core/units/result.h"

// Pressure stall information, as the kernel tells it (Documentation/accounting/psi.rst).
namespace jettison::psi {

// One line of a pressure file. The averages are shares of the last 10, 60 and 300 seconds in
// hundredths of a percent, 0 to 10000; `total` is the sum of all stalls in microseconds.
struct StallLine {
  std::int32_t avg10 = 0;
  std::int32_t avg60 = 0;
  std::int32_t avg300 = 0;
  std::uint64_t total = 0;
  friend bool operator==(const StallLine&, const StallLine&) = default;
};

// A pressure file: "some", at least one task waited, and "full", all that were not idle did.
struct Pressure {
  StallLine some;
  std::optional<StallLine> full;  // absent for the CPU before Linux 5.13
  friend bool operator==(const Pressure&, const Pressure&) = default;
};

// Understands the text of a pressure file. Lines and keys that are not known are passed over. Pure.
// kInternal where a line is cut off, stands there twice, lacks one of its four figures, or has one
// that the kernel would not write; never a zero.
[[nodiscard]] Result<Pressure> ParsePressure(std::string_view text);

// The same as the model has it; `time` is when it was read.
[[nodiscard]] PressureStats StatsOf(const Pressure& pressure, Instant time);

}  // namespace jettison::psi
