#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/cri/sandbox_creation.h"
#include "units/duration.h"
#include "units/result.h"

namespace jettison::cri {

// What the agent writes down of a pod of its own, so that after a restart it knows it without the
// container runtime's answer.
struct PodRecord {
  // A run that had started. It runs still where the process with this number began at that time.
  struct Run {
    std::string container;
    int attempt = 0;
    std::string id;
    Instant started;
    pid_t pid = 0;
    std::uint64_t process_start = 0;  // in the kernel's ticks, of /proc/PID/stat
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
