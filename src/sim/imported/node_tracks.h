#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/pod.h"
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
// samples counts there, and the others are named; they count where it has no samples.
class NodeTracks {
 public:
  using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

  NodeTracks(const NodeSeries& series, ImportNotes& notes);
  NodeTracks(const NodeTracks&) = delete;
  NodeTracks& operator=(const NodeTracks&) = delete;

  // All figures of a metric, by their labels.
  [[nodiscard]] const std::vector<LabelledTrack>& Of(std::string_view metric) const;
  // Those of them that tell of pods of that name. Which of these, IsOfPod says.
  [[nodiscard]] const std::vector<const LabelledTrack*>& OfPod(std::string_view metric,
                                                               const Pod& pod) const;
  // The first one that has these labels; null: there is none.
  [[nodiscard]] const Track* Find(std::string_view metric, Labels labels = {}) const;
  [[nodiscard]] bool Has(std::string_view metric) const { return !Of(metric).empty(); }

 private:
  using OfPods = std::map<std::string, std::vector<const LabelledTrack*>>;  // by namespace and name

  std::map<std::string, std::vector<LabelledTrack>, std::less<>> by_metric_;
  std::map<std::string, OfPods, std::less<>> by_pod_;  // the same figures, which it points to
};

[[nodiscard]] bool HasLabels(const MetricSeries& figure, NodeTracks::Labels labels);
// `name{label="value"}`, for people.
[[nodiscard]] std::string TextOf(const MetricSeries& series);

}  // namespace jettison
