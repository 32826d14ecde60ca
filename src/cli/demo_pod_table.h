#pragma once

#include <string>
#include <vector>

#include "agent/snapshot.h"
#include "cli/demo_manifests.h"
#include "cli/demo_text.h"
#include "model/signal.h"
#include "units/duration.h"

namespace jettison {

// What a pod is at, in a word or two: "running", "evicted", "back in 4 s", "held back".
[[nodiscard]] std::string PodStateText(const PodView& pod, Instant now);

// A header and a line for each pod, in the order of eviction under pressure on that signal.
[[nodiscard]] std::vector<TextLine> PodTable(const Snapshot& snapshot, const DemoFacts& facts,
                                             Signal signal);

}  // namespace jettison
