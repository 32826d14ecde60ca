#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/model/signal.h"
#include "core/units/duration.h"

namespace jettison {

// "14.2 GiB", "263 MiB", "6.5 MiB", "24 KiB"; "-" where the figure is absent.
[[nodiscard]] std::string BytesText(std::optional<std::int64_t> bytes);
// An amount of a signal: bytes as above, inodes and process ids as they are, shares of time as
// "12.34%".
[[nodiscard]] std::string AmountText(Signal signal, std::optional<std::int64_t> amount);
// How fast an amount changes: "-40 MiB/s", "+3/s", "steady"; "-" where it is not known.
[[nodiscard]] std::string TrendText(Signal signal, std::optional<std::int64_t> per_second);
// Seconds with one decimal: "12.3 s".
[[nodiscard]] std::string SecondsText(Duration span);
// A span of time for people, in the largest unit that leaves two digits: "0.4 s", "27 s", "3 min",
// "26 h", "12 d". Never negative.
[[nodiscard]] std::string SpanText(Duration span);

}  // namespace jettison
