#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/demo/stage/demo_manifests.h"
#include "cli/terminal/text_line.h"
#include "core/model/signal.h"
#include "core/units/duration.h"
#include "view/snapshot.h"

namespace jettison {

// What a pod is at, in a word or two: "running", "evicted", "back in 4 s", "held back".
[[nodiscard]] std::string PodStateText(const PodView& pod, Instant now);

// What a table of pods shows besides the pods.
struct PodTableOptions {
  Signal signal = Signal::kMemoryAvailable;  // what they are ranked for
  std::string_view marked = {};              // the pod that gets a mark; empty: none
  TextStyle style = {};
};

// A header and a line for each pod, in the order of eviction.
[[nodiscard]] std::vector<TextLine> PodTable(const Snapshot& snapshot, const DemoFacts& facts,
                                             const PodTableOptions& options);

}  // namespace jettison
