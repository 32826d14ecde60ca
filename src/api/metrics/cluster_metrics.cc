#include "api/metrics/metric_sections.h"

namespace jettison {

using enum MetricType;

void WriteClusterMetrics(const Snapshot& snapshot, MetricsWriter& writer) {
  writer.Family("jettison_cluster_evictions_under_way", kGauge,
                "Evictions of which the API server does not know everything yet.");
  if (snapshot.cluster) writer.Sample(snapshot.cluster->evictions_under_way);
  writer.Family("jettison_cluster_events_dropped_total", kCounter,
                "Events that the API server was not told of.");
  if (snapshot.cluster) writer.Sample(snapshot.cluster->events_dropped);
}

}  // namespace jettison
