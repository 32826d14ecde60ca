#pragma once

#include <string>
#include <string_view>

#include "agent/snapshot.h"
#include "api/overview.h"
#include "model/signal.h"

namespace jettison {

// The overview as JSON: /api/v1/overview. docs/overview.md has every field.
[[nodiscard]] std::string OverviewJson(const Overview& overview);
[[nodiscard]] std::string OverviewJson(const Snapshot& snapshot, const OverviewOptions& options);

// "bytes", "inodes", "pids", "share" (hundredths of a percent of the time).
[[nodiscard]] std::string_view UnitOf(Signal signal);

}  // namespace jettison
