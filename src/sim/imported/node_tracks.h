#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/imported/import_notes.h"
#include "sim/imported/import_samples.h"
#include "sim/imported/track.h"

namespace jettison {

// A figure of a node with what it is about.
struct LabelledTrack {
  MetricSeries figure;
  Track track;
};

// The figures of one node. Where several series tell of the same figure at the same time, which is
// so with two replicas of a Prometheus or two jobs that scrape one target, the one with the most
// samples counts, and the others are named.
class NodeTracks {
 public:
  using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

  NodeTracks(const NodeSeries& series, ImportNotes& notes);

  // All figures of a metric, by their labels.
  [[nodiscard]] const std::vector<LabelledTrack>& Of(std::string_view metric) const;
  // The first one that has these labels; null: there is none.
  [[nodiscard]] const Track* Find(std::string_view metric, Labels labels = {}) const;
  [[nodiscard]] bool Has(std::string_view metric) const { return !Of(metric).empty(); }

 private:
  std::map<std::string, std::vector<LabelledTrack>, std::less<>> by_metric_;
};

[[nodiscard]] bool HasLabels(const MetricSeries& figure, NodeTracks::Labels labels);
// `name{label="value"}`, for people.
[[nodiscard]] std::string TextOf(const MetricSeries& series);

}  // namespace jettison
