#pragma once

#include <compare>
#include <map>
#include <string>
#include <string_view>

#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison {

// The labels that identify a time series of Prometheus.
struct MetricSeries {
  std::string name;
  std::map<std::string, std::string, std::less<>> labels;  // the name is not among them

  // The value of a label; empty where there is none, which means the same to Prometheus.
  [[nodiscard]] std::string_view Label(std::string_view label) const {
    const auto found = labels.find(label);
    return found == labels.end() ? std::string_view{} : std::string_view(found->second);
  }
  friend auto operator<=>(const MetricSeries&, const MetricSeries&) = default;
};

// Takes series with their samples.
class SeriesSink {
 public:
  virtual ~SeriesSink() = default;
  // Samples of this series follow; it may have been begun before. False: they are not wanted.
  [[nodiscard]] virtual bool Begin(const MetricSeries& series) = 0;
  // A sample of the series that was begun last. NaN: the series ends here (a stale marker).
  [[nodiscard]] virtual Result<void> Add(Instant at, double value) = 0;
};

}  // namespace jettison
