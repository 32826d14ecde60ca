// links: jettison_prometheus_codec
//
// Any bytes, read as the dump of a Prometheus: whatever is taken for a sample has a finite time,
// and a series with a name.

#include "codec/prometheus/prometheus.h"
#include "fuzz/fuzz.h"

void Fuzz(std::string_view text) {
  using namespace jettison;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    const auto sample = ReadSampleLine(line);
    if (!sample) {
      Require(!sample.error().message.empty());
      continue;
    }
    if (!*sample) continue;
    const auto series = ReadSeries((*sample)->series);
    if (series) Require(!series->name.empty() && !series->labels.contains("__name__"));
  }
}
