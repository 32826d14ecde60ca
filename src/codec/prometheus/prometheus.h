#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison {

struct MetricSample {
  Instant at;
  double value = 0;
};

// A time series of Prometheus: the name and labels that identify it, and its samples by time.
struct MetricSeries {
  std::string name;
  std::map<std::string, std::string, std::less<>> labels;  // the name is not among them
  std::vector<MetricSample> samples;

  // The value of a label; empty where there is none, which means the same to Prometheus.
  [[nodiscard]] std::string_view Label(std::string_view label) const {
    const auto found = labels.find(label);
    return found == labels.end() ? std::string_view{} : std::string_view(found->second);
  }
};

struct PrometheusAnswer {
  std::vector<MetricSeries> series;
  std::vector<std::string> warnings;  // a part of the data may be missing
};

// Reads what the HTTP API answers to `/api/v1/query`, where the result is a matrix, or to
// `/api/v1/series`, which has no samples. Samples that are not finite and series of histograms are
// left out. An answer that is an error is one, in the words of Prometheus:
// - kInvalidArgument: a query that it refuses ("bad_data"), or a text that is no such answer;
// - kDeadlineExceeded: "timeout" or "canceled"; kUnavailable: "unavailable";
// - kInternal: anything else, "execution" among them, as where there are too many samples.
[[nodiscard]] Result<PrometheusAnswer> ReadPrometheusAnswer(std::string_view json);

}  // namespace jettison
