#include "api/metrics/metrics.h"

#include <array>
#include <chrono>

#include "core/text/printable.h"
#include "core/units/duration.h"

namespace jettison {
namespace {

// Of one pod's samples, and of everything else.
constexpr std::size_t kPodBytes = 1'000;
constexpr std::size_t kNodeBytes = 64 << 10;

std::string_view NameOf(MetricType type) {
  constexpr auto kNames = std::to_array<std::string_view>({"gauge", "counter", "histogram"});
  return kNames[static_cast<std::size_t>(type)];
}

void WriteProcess(const OwnProcess& process, const Snapshot& snapshot, MetricsWriter& writer) {
  writer.Counter("process_cpu_seconds_total", "CPU time of the agent, user and system.",
                 SecondsOf(process.cpu));
  writer.Gauge("process_resident_memory_bytes", "Resident memory of the agent.",
               process.resident_bytes);
  writer.Gauge("process_virtual_memory_bytes", "Virtual memory of the agent.",
               process.virtual_bytes);
  writer.Gauge("process_open_fds", "Open file descriptors of the agent.", process.open_fds);
  writer.Gauge("process_max_fds", "Maximum number of open file descriptors of the agent.",
               process.max_fds);
  writer.Family("process_start_time_seconds", MetricType::kGauge,
                "When the agent started, in seconds since 1970.");
  if (snapshot.node) writer.Sample(SecondsOf(snapshot.node->started_at.time_since_epoch()));
}

}  // namespace

std::string MetricsText(const Snapshot& snapshot, Instant since, const OwnProcess* process) {
  static const NodeCounters kNone;
  const NodeCounters& counters = snapshot.counters ? *snapshot.counters : kNone;
  MetricsWriter writer(kNodeBytes + snapshot.pods.size() * kPodBytes);
  WriteKubeletMetrics(snapshot, counters, writer);
  WriteAgentMetrics(snapshot, counters, since, writer);
  WritePodMetrics(snapshot, since, writer);
  if (process != nullptr) WriteProcess(*process, snapshot, writer);
  return std::move(writer).Take();
}

void MetricsWriter::Family(std::string_view name, MetricType type, std::string_view help) {
  family_ = name;
  for (const std::string_view part :
       {std::string_view("# HELP "), name, std::string_view(" "), help,
        std::string_view("\n# TYPE "), name, std::string_view(" "), NameOf(type),
        std::string_view("\n")}) {
    text_ += part;
  }
}

void MetricsWriter::Begin(std::string_view suffix, std::initializer_list<MetricLabel> labels,
                          std::string_view bound) {
  text_ += family_;
  text_ += suffix;
  char before = '{';
  const auto append = [&](std::string_view name, std::string_view value) {
    text_ += before;
    text_ += name;
    text_ += "=\"";
    AppendEscaped(value);
    text_ += '"';
    before = ',';
  };
  for (const MetricLabel& label : labels) append(label.name, label.value);
  if (!bound.empty()) append("le", bound);
  text_ += before == '{' ? std::string_view(" ") : std::string_view("} ");
}

void MetricsWriter::AppendEscaped(std::string_view value) {
  for (const char c : Utf8Of(value)) {
    if (c == '\\' || c == '"' || c == '\n') text_ += '\\';
    text_ += c == '\n' ? 'n' : c;
  }
}

void MetricsWriter::Observed(std::initializer_list<MetricLabel> labels,
                             const HistogramView& histogram) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < histogram.classes.size(); ++i) {
    count += histogram.classes[i];
    std::array<char, 32> bound{};
    std::string_view text = "+Inf";
    if (i < histogram.bounds.size()) {
      const auto end = std::to_chars(bound.begin(), bound.end(), SecondsOf(histogram.bounds[i]));
      text = {bound.data(), static_cast<std::size_t>(end.ptr - bound.data())};
    }
    Begin("_bucket", labels, text);
    Append(count);
    text_ += '\n';
  }
  Begin("_sum", labels);
  Append(SecondsOf(histogram.sum));
  text_ += '\n';
  Begin("_count", labels);
  Append(count);
  text_ += '\n';
}

}  // namespace jettison
