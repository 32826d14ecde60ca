#pragma once

#include <optional>
#include <string>

#include "kernel/procfs/procfs.h"
#include "view/snapshot.h"

namespace jettison {

// How the node stands and what the agent has done, as Prometheus reads it: first the kubelet's
// metrics under their own names, labels and bounds, then Jettison's. Each is on the page
// docs/metrics.md. What is unknown has no sample.
[[nodiscard]] std::string MetricsText(const Snapshot& snapshot);

// What the agent's process takes up, under the names that every client library has (process_*); to
// be appended to the former. `started_at`: absent where nobody knows.
[[nodiscard]] std::string ProcessMetricsText(const OwnProcess& process,
                                             std::optional<Instant> started_at);

// Both, the latter read now; what is answered at /metrics.
[[nodiscard]] std::string MetricsPage(const Snapshot& snapshot);

}  // namespace jettison
