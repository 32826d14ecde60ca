// links: jettison_prometheus_codec
//
// Any bytes, read as answers of Prometheus' HTTP API: what is refused is refused with a reason, and
// every sample is a number.

#include <cmath>

#include "codec/prometheus/prometheus.h"
#include "fuzz/fuzz.h"

void Fuzz(std::string_view text) {
  using namespace jettison;
  const auto read = ReadPrometheusAnswer(text);
  if (!read) return Require(!read.error().message.empty());
  for (const MetricSeries& series : read->series) {
    for (const MetricSample& sample : series.samples) Require(std::isfinite(sample.value));
  }
}
