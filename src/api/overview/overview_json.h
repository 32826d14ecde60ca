#pragma once

#include <string>

#include "api/overview/overview.h"
#include "core/json/json_writer.h"
#include "core/model/signal.h"
#include "view/snapshot.h"

namespace jettison {

// The overview as JSON: /api/v1/overview. docs/overview.md has every field.
[[nodiscard]] std::string OverviewJson(const Overview& overview);
[[nodiscard]] std::string OverviewJson(const Snapshot& snapshot, const OverviewOptions& options);

// A pass as the overview and the history have it.
void WritePass(JsonWriter& json, const OverviewPass& pass);

}  // namespace jettison
