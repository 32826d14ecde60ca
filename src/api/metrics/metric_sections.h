#pragma once

#include <array>

#include "api/metrics/metrics_writer.h"
#include "core/model/signal.h"
#include "view/node_counters.h"
#include "view/snapshot.h"

namespace jettison {

// The parts of MetricsText, a file each.

// The kubelet's metrics. (kubelet: pkg/kubelet/metrics/metrics.go, 1.36)
void WriteKubeletMetrics(const Snapshot& snapshot, const NodeCounters& counters,
                         MetricsWriter& writer);
// Signals, thresholds and conditions.
void WriteSignalMetrics(const Snapshot& snapshot, MetricsWriter& writer);
// What the agent does and how long it takes.
void WriteAgentMetrics(const Snapshot& snapshot, const NodeCounters& counters,
                       MetricsWriter& writer);
// A dry run beside the kubelet.
void WriteShadowMetrics(const Snapshot& snapshot, MetricsWriter& writer);
// What a cluster is told.
void WriteClusterMetrics(const Snapshot& snapshot, MetricsWriter& writer);
// Figures of each pod.
void WritePodMetrics(const Snapshot& snapshot, MetricsWriter& writer);

// Which of the signals, by index, some threshold watches.
[[nodiscard]] std::array<bool, kSignalCount> WatchedSignals(const Snapshot& snapshot);

}  // namespace jettison
