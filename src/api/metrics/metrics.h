#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/model/signal.h"
#include "core/text/enum_names.h"
#include "kernel/procfs/procfs.h"
#include "view/node_counters.h"
#include "view/snapshot.h"

namespace jettison {

// How the node stands and what the agent has done, as Prometheus reads it: first the kubelet's
// metrics under their own names, labels and bounds, then Jettison's, and those of the agent's
// process, where that could be read, under the names that every client library has (process_*).
// Each is on the page docs/metrics.md. What is unknown has no sample. `since`: what was least or
// most counts from then on.
[[nodiscard]] std::string MetricsText(const Snapshot& snapshot, Instant since = Instant::min(),
                                      const OwnProcess* process = nullptr);

enum class MetricType : std::uint8_t { kGauge, kCounter, kHistogram };

struct MetricLabel {
  std::string_view name;
  std::string_view value;  // any bytes; what is not UTF-8 becomes U+FFFD
};

// Writes metrics in Prometheus' text format 0.0.4: families one after the other, each with its
// samples. (prometheus.io/docs/instrumenting/exposition_formats)
//
// A writer of our own, because prometheus-cpp-core 1.0.1 makes a tree of strings first and prints
// each number through a stream: 4.6 to 9 ms for 1,000 pods with five figures each, where 5 ms is
// the limit for everything.
class MetricsWriter {
 public:
  // `size`: bytes that the text will have, about.
  explicit MetricsWriter(std::size_t size = 0) { text_.reserve(size); }

  // Begins a family; the samples that follow belong to it. Each name may be used once.
  void Family(std::string_view name, MetricType type, std::string_view help);
  template <typename Number>
  void Sample(std::initializer_list<MetricLabel> labels, Number value) {
    Begin({}, labels);
    Append(value);
    text_ += '\n';
  }
  template <typename Number>
  void Sample(Number value) {
    Sample({}, value);
  }
  // A family of one sample without labels.
  template <typename Number>
  void Gauge(std::string_view name, std::string_view help, Number value) {
    Family(name, MetricType::kGauge, help);
    Sample(value);
  }
  template <typename Number>
  void Gauge(std::string_view name, std::string_view help, std::optional<Number> value) {
    Family(name, MetricType::kGauge, help);
    if (value) Sample(*value);
  }
  template <typename Number>
  void Counter(std::string_view name, std::string_view help, Number value) {
    Family(name, MetricType::kCounter, help);
    Sample(value);
  }
  // A family with a sample for each enumerator, of which `values` has one each.
  template <NamedEnum Enum, typename Values>
  void ByName(std::string_view name, MetricType type, std::string_view help, std::string_view label,
              const Values& values) {
    Family(name, type, help);
    for (const Enum each : kAllOf<Enum>) {
      Sample({{label, NameOf(each)}}, values[static_cast<std::size_t>(each)]);
    }
  }
  // A family of one histogram without labels.
  void Observed(std::string_view name, std::string_view help, const HistogramView& histogram) {
    Family(name, MetricType::kHistogram, help);
    Observed({}, histogram);
  }
  // All series of a histogram, in seconds.
  void Observed(std::initializer_list<MetricLabel> labels, const HistogramView& histogram);

  [[nodiscard]] std::string Take() && { return std::move(text_); }

 private:
  template <typename Number>
  void Append(Number value) {
    char digits[32];
    if constexpr (std::same_as<Number, bool>) {
      text_ += value ? '1' : '0';
    } else {
      text_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
    }
  }
  // The name, with `suffix`, and the labels, up to the value.
  void Begin(std::string_view suffix, std::initializer_list<MetricLabel> labels,
             std::string_view bound = {});
  void AppendEscaped(std::string_view value);

  std::string text_;
  std::string family_;
};

// The parts of MetricsText, a file each.
// The kubelet's metrics. (kubelet: pkg/kubelet/metrics/metrics.go, 1.36)
void WriteKubeletMetrics(const Snapshot& snapshot, const NodeCounters& counters,
                         MetricsWriter& writer);
// Signals, thresholds and conditions; what the agent does and how long it takes; a dry run beside
// the kubelet, and what a cluster is told.
void WriteAgentMetrics(const Snapshot& snapshot, const NodeCounters& counters, Instant since,
                       MetricsWriter& writer);
// Figures of each pod.
void WritePodMetrics(const Snapshot& snapshot, Instant since, MetricsWriter& writer);

// A counter of evictions by what caused them. A series is there from the start where a threshold
// may bring it about, so that its first increase shows.
void WriteByCause(std::string_view name, std::string_view help, const Snapshot& snapshot,
                  const CountByEvictionSignal& counts, MetricsWriter& writer);
// Whether some threshold watches the signal.
[[nodiscard]] bool IsWatched(const Snapshot& snapshot, Signal signal);

}  // namespace jettison
