#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "containers/cri_container.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "ports/pod_plan.h"
#include "runtimes/cri/containers/runtime_context.h"
#include "runtimes/cri/containers/sandboxes.h"

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

// The plan of a pod, as it is made today, and what was written down of it.
struct WrittenPod {
  PodPlan plan;
  PodRecord record;
};

// What was written down of a pod by an agent before this one. kNotFound: nothing was;
// kInvalidArgument: it is damaged.
[[nodiscard]] Result<WrittenPod> ReadPodRecord(const RuntimeContext& context,
                                               const std::string& uid);

// Sandboxes of one pod, of which the first one counts: one that is ready, then the newest.
using Sandboxes = std::vector<const api::PodSandbox*>;

// Those that this agent made, by the UID of their pod.
[[nodiscard]] std::map<std::string, Sandboxes> OwnSandboxes(const RuntimeContext& context,
                                                            const Listing& listing);

// The description of a pod, which each of its sandboxes and its record contain. One readable copy
// is enough. kNotFound: there is none; kInvalidArgument: what describes the pod is damaged, or
// missing although there are sandboxes.
[[nodiscard]] Result<PodPlan> ReadDescription(const RuntimeContext& context, const std::string& uid,
                                              const Sandboxes& sandboxes);
[[nodiscard]] bool IsInHostNetwork(const RuntimeContext& context, const api::PodSandbox& sandbox);

}  // namespace jettison::cri
