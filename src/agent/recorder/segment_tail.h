#pragma once

#include <cstdint>

namespace jettison {

// Whether a segment of so many bytes is a row of whole chunks as far as their headers say, so that
// another one may be put behind them. False also where it cannot be read.
[[nodiscard]] bool EndsWithAChunk(int file, std::uint64_t bytes);

}  // namespace jettison
