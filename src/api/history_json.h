#pragma once

#include <string>

#include "view/snapshot.h"

namespace jettison {

// The course of the signals over the last hour, and the evictions of the passes that are still
// remembered: /api/v1/history. docs/overview.md has every field.
[[nodiscard]] std::string HistoryJson(const Snapshot& snapshot);

}  // namespace jettison
