// links: jettison_prometheus_codec
//
// Any bytes, read as answers of Prometheus' HTTP API: what is refused is refused with a reason, and
// samples come only behind a series.

#include "codec/prometheus/prometheus.h"
#include "fuzz/fuzz.h"

namespace {

using namespace jettison;

struct Counter final : SeriesSink {
  bool Begin(const MetricSeries& /*series*/) override {
    ++series;
    return series % 3 != 0;
  }
  Result<void> Add(Instant /*at*/, double /*value*/) override {
    Require(series > 0 && series % 3 != 0);
    return {};
  }
  int series = 0;
};

}  // namespace

void Fuzz(std::string_view text) {
  Counter counter;
  const auto read = ReadQueryAnswer(text, counter);
  if (!read) Require(!read.error().message.empty());
  const auto series = ReadSeriesAnswer(text, [](const MetricSeries&) {});
  if (!series) Require(!series.error().message.empty());
}
