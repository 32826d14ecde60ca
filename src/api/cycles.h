#pragma once

#include <cstddef>
#include <string>

#include "view/snapshot.h"

namespace jettison {

// The last `count` passes that are remembered (full ones, and others that did something), oldest
// first, each with all that it was made of: NDJSON that `jettison replay` takes as it is
// (codec/recordings/scenario_writer.h, WriteCycle). Fewer, the oldest left out, where they would be
// more than kMostCyclesBytes together; the last one in any case.
inline constexpr std::size_t kMostCyclesBytes = std::size_t{2} << 20;
[[nodiscard]] std::string CyclesText(const Snapshot& snapshot, std::size_t count);

}  // namespace jettison
