#pragma once

#include <cstdint>

namespace jettison {

// Whether a segment of this size consists of complete chunks, by their headers, so that another
// chunk can be appended. False also if it cannot be read.
[[nodiscard]] bool EndsWithAChunk(int file, std::uint64_t bytes);

}  // namespace jettison
