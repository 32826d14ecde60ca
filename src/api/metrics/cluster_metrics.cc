#include "api/metrics/metric_sections.h"

namespace jettison {

using enum MetricType;

void WriteClusterMetrics(const Snapshot& snapshot, MetricsWriter& writer) {
  writer.Family("jettison_cluster_evictions_under_way", kGauge,
                "Evictions that have not been fully reported to the API server yet.");
  if (snapshot.cluster) writer.Sample(snapshot.cluster->evictions_under_way);
  writer.Family("jettison_cluster_events_dropped_total", kCounter,
                "Events that were not reported to the API server.");
  if (snapshot.cluster) writer.Sample(snapshot.cluster->events_dropped);
}

}  // namespace jettison
