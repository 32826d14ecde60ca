#include "api/metrics/metrics_text.h"

#include <chrono>

#include "api/metrics/metric_sections.h"
#include "core/units/duration.h"

namespace jettison {
namespace {

// Of one pod's samples, and of everything else.
constexpr std::size_t kPodBytes = 1'000;
constexpr std::size_t kNodeBytes = 64 << 10;

}  // namespace

std::string MetricsText(const Snapshot& snapshot) {
  static const NodeCounters kNone;
  const NodeCounters& counters = snapshot.counters ? *snapshot.counters : kNone;
  MetricsWriter writer(kNodeBytes + snapshot.pods.size() * kPodBytes);
  WriteKubeletMetrics(snapshot, counters, writer);
  WriteSignalMetrics(snapshot, writer);
  WriteAgentMetrics(snapshot, counters, writer);
  WriteShadowMetrics(snapshot, writer);
  WriteClusterMetrics(snapshot, writer);
  WritePodMetrics(snapshot, writer);
  return std::move(writer).Take();
}

std::string ProcessMetricsText(const OwnProcess& process, std::optional<Instant> started_at) {
  MetricsWriter writer;
  writer.Family("process_cpu_seconds_total", MetricType::kCounter,
                "CPU time of the agent, user and system.");
  writer.Sample(SecondsOf(process.cpu));
  writer.Family("process_resident_memory_bytes", MetricType::kGauge,
                "Resident memory of the agent.");
  writer.Sample(process.resident_bytes);
  writer.Family("process_virtual_memory_bytes", MetricType::kGauge, "Virtual memory of the agent.");
  writer.Sample(process.virtual_bytes);
  writer.Family("process_open_fds", MetricType::kGauge, "Open file descriptors of the agent.");
  if (process.open_fds) writer.Sample(*process.open_fds);
  writer.Family("process_max_fds", MetricType::kGauge,
                "Maximum number of open file descriptors of the agent.");
  if (process.max_fds) writer.Sample(*process.max_fds);
  writer.Family("process_start_time_seconds", MetricType::kGauge,
                "When the agent started, in seconds since 1970.");
  if (started_at) writer.Sample(SecondsOf(started_at->time_since_epoch()));
  return std::move(writer).Take();
}

std::string MetricsPage(const Snapshot& snapshot) {
  std::string page = MetricsText(snapshot);
  const auto process = ReadOwnProcess();
  if (!process) return page;
  return page + ProcessMetricsText(*process, snapshot.node
                                                 ? std::optional(snapshot.node->started_at)
                                                 : std::nullopt);
}

}  // namespace jettison
