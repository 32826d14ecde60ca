#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/duration.h"
#include "core/units/result.h"
#include "runtimes/cri/containers/sandbox_creation.h"

namespace jettison::cri {

// What the agent writes down of a pod of its own, so that after a restart it knows it without the
// container runtime's answer.
struct PodRecord {
  // A run that had started, or was about to. It runs still where a process is in its group.
  struct Run {
    std::string container;
    int attempt = 0;
    std::string id;
    Instant started;  // or when that was ordered
    std::optional<int> stop_signal;
    friend bool operator==(const Run&, const Run&) = default;
  };
  Sandbox sandbox;
  std::vector<Run> runs;
  std::string written_pod;  // as beside its sandbox
};

// A line each for the sandbox and the runs, then the pod. Names and IDs have no blanks; a run with
// one is left out.
[[nodiscard]] std::string FormatPodRecord(const PodRecord& record);
// Fails on a text that is cut short or is something else.
[[nodiscard]] Result<PodRecord> ParsePodRecord(std::string_view text);

}  // namespace jettison::cri
