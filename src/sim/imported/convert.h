#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "codec/prometheus/prometheus.h"
#include "core/model/choices.h"
#include "core/model/threshold.h"
#include "core/recording/recording.h"
#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison {

// A sample that is older says nothing of now, as Prometheus has it (--query.lookback-delta).
inline constexpr Duration kStaleness = std::chrono::minutes(5);

// What is imported, and what is said of it.
struct ImportOptions {
  std::string source;     // for people: "http://prometheus:9090"
  EvictionPolicy policy;  // taken to have been in force
  // Absent: `standalone` where an agent tells of pods of its own, else `kubelet`.
  std::optional<Profile> profile;
  std::map<std::string, std::int32_t, std::less<>> priority_classes;  // beside those of the system
  // Paths on the two file systems of the node.
  std::string node_fs = "/var/lib/kubelet";
  std::string image_fs = "/var/lib/containerd";
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

// Makes the recording of a node from its series, in any order and any number of pieces, and from
// the warnings that came with them. A pass is made at each sample of the node's memory, of figures
// of that moment. An eviction gets a pass of its own, with memory as it would be had it grown on as
// before. Where nothing is known for longer than 5 minutes there is a gap. Fails where nothing
// tells the node's memory, and where the sink does.
[[nodiscard]] Result<ImportSummary> ImportNode(const std::string& node, PrometheusAnswer data,
                                               const ImportOptions& options, RecordingSink& sink);

}  // namespace jettison
