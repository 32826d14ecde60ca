#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "core/model/threshold.h"
#include "core/recording/recording.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "sim/imported/node_figures.h"
#include "sim/imported/pods.h"
#include "sim/imported/series.h"

namespace jettison {

// What is imported, and what is said of it.
struct ImportOptions {
  std::string source;              // for people: "http://prometheus:9090", "dump.txt"
  std::set<std::string> warnings;  // that came with its answers, which may lack samples then
  EvictionPolicy policy;           // taken to have been in force
  PodAssumptions pods;
  ImportPaths paths;
  Instant from;
  Instant to;
};

// What came of it.
struct ImportSummary {
  std::uint64_t passes = 0;
  std::uint64_t pods = 0;
  std::uint64_t evictions = 0;
  std::uint64_t oom_kills = 0;
  std::uint64_t gaps = 0;
  Duration step{0};                // from pass to pass, the median
  std::vector<std::string> notes;  // those of the recording
};

// Makes the recording of a node. A pass is made at each sample of the node's memory, of figures of
// that moment. An eviction gets a pass of its own, with memory as it would be had it grown on as
// before. Where nothing is known for longer than kStaleness there is a gap. Fails where nothing
// tells the node's memory, and where the sink does.
[[nodiscard]] Result<ImportSummary> ImportNode(const std::string& node, const NodeSeries& series,
                                               const ImportOptions& options, RecordingSink& sink);

}  // namespace jettison
