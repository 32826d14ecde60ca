#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/signal.h"
#include "units/duration.h"

namespace jettison {

// "263 MiB", "6.5 MiB", "24 KiB"; "-" where the figure is absent.
[[nodiscard]] std::string BytesText(std::optional<std::int64_t> bytes);
// An amount of a signal: bytes as above, inodes and process ids as they are.
[[nodiscard]] std::string AmountText(Signal signal, std::optional<std::int64_t> amount);
// Seconds with one decimal: "12.3 s".
[[nodiscard]] std::string SecondsText(Duration span);

}  // namespace jettison
