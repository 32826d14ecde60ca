#pragma once

#include <cstddef>
#include <string>

#include "agent/snapshot.h"

namespace jettison {

// The last `count` passes that are remembered (full ones, and others that did something), oldest
// first, each with all that it was made of: NDJSON that `jettison replay` takes as it is
// (recordings/scenario_writer.h, WriteCycle).
[[nodiscard]] std::string CyclesText(const Snapshot& snapshot, std::size_t count);

}  // namespace jettison
