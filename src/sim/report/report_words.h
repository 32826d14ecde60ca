#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/units/duration.h"
#include "sim/report/simulation_report.h"
#include "sim/whatif/whatif_model.h"

namespace jettison {

// "2026-01-01 09:30:00.1 (09:29:59.8 to 09:30:00.3)".
[[nodiscard]] std::string WhenText(const TimeBounds& when);
// "98.0 MiB", exact where that is as easy to read: "100Mi".
[[nodiscard]] std::string ShownAmount(Signal signal, std::int64_t amount);
// "memory.available 98.0 MiB < 100Mi", exact where rounding would hide that; or what the minimum
// reclaim of a threshold holds; or the limit that was broken.
[[nodiscard]] std::string ReasonText(const SimulatedEviction& eviction);
// "97.3%"; "-" where it is absent.
[[nodiscard]] std::string PercentText(const std::optional<double>& share);
// "12.3 s", "4.5 min", "3.2 h".
[[nodiscard]] std::string LengthText(Duration span);
// "1 eviction", "2 evictions".
[[nodiscard]] std::string CountText(std::size_t count, std::string_view one);
// A paragraph that says how well evictions are found from samples alone.
[[nodiscard]] std::string CalibrationText(const Calibration& calibration);

}  // namespace jettison
