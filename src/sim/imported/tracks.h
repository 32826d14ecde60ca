#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/metric_series/metric_series.h"
#include "core/model/pod.h"
#include "core/units/duration.h"

namespace jettison {

// A sample that is older says nothing of now, as Prometheus has it (--query.lookback-delta).
inline constexpr Duration kStaleness = std::chrono::minutes(5);

struct TrackPoint {
  Instant at;
  double value = 0;  // NaN: the series ends here
};

// One figure through time, by its samples.
class Track {
 public:
  using Point = TrackPoint;
  // A counter that has grown, or was set back.
  struct Step {
    Instant from;  // the sample before
    Instant to;
    double by = 0;       // since then; what a counter has that began anew
    bool reset = false;  // it fell
  };

  Track() = default;
  // In the order of time, no two at one time.
  explicit Track(std::vector<Point> points);

  [[nodiscard]] const std::vector<Point>& points() const { return points_; }
  // The median time between two samples; zero: there are fewer than two.
  [[nodiscard]] Duration interval() const { return interval_; }

  // A gauge at that moment: on the line between two samples that are not further apart than
  // kStaleness, or behind the last one for as long as samples are apart. None: it is not known.
  [[nodiscard]] std::optional<double> At(Instant at) const;
  // What the last sample said, no longer ago than kStaleness.
  [[nodiscard]] std::optional<double> Last(Instant at) const;
  // Where it changed from one sample to the next; what it began with is no change.
  [[nodiscard]] std::vector<Step> Steps() const;

 private:
  // The last sample up to that moment, if the series has not ended; null: there is none.
  [[nodiscard]] const Point* Before(Instant at) const;
  // The sample behind that one which a line may be drawn to; null: there is none.
  [[nodiscard]] const Point* Behind(const Point& point) const;

  std::vector<Point> points_;
  Duration interval_{0};
};

// The same of a track that there may not be (null).
[[nodiscard]] std::optional<double> AmountAt(const Track* track, Instant at);
// An amount as a whole number of things, 0 or more.
[[nodiscard]] std::uint64_t CountOf(double amount);
[[nodiscard]] std::optional<std::uint64_t> CountAt(const Track* track, Instant at);

struct SeriesOrder {
  bool operator()(const MetricSeries& a, const MetricSeries& b) const {
    return std::tie(a.name, a.labels) < std::tie(b.name, b.labels);
  }
};
// The samples of one node: by figure, and then by the series that tell of it.
using NodeSeries =
    std::map<MetricSeries, std::map<MetricSeries, std::vector<TrackPoint>, SeriesOrder>,
             SeriesOrder>;

// A figure of a node with what it is about.
struct LabelledTrack {
  MetricSeries figure;
  Track track;
};

// The figures of one node. Where several series tell of one figure, as with two replicas of a
// Prometheus or with a container that was restarted, one that goes on for longer counts from its
// first sample on.
class NodeTracks {
 public:
  using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

  explicit NodeTracks(const NodeSeries& series);

  // All figures of a metric, by their labels.
  [[nodiscard]] const std::vector<LabelledTrack>& Of(std::string_view metric) const;
  // Those of them that are about the pod: by its UID where they have one, else by its name.
  [[nodiscard]] std::vector<const LabelledTrack*> OfPod(std::string_view metric,
                                                        const Pod& pod) const;
  // The first one that has these labels; null: there is none.
  [[nodiscard]] const Track* Find(std::string_view metric, Labels labels = {}) const;
  [[nodiscard]] bool Has(std::string_view metric) const { return !Of(metric).empty(); }

 private:
  std::map<std::string, std::vector<LabelledTrack>, std::less<>> by_metric_;
};

// The UID of the pod that a figure is about; empty: it does not say.
[[nodiscard]] std::string UidOf(const MetricSeries& figure);

// What is to be known of an imported recording, a sentence each without its full stop: what is
// missing and what that costs, and what was assumed. A sentence is told once, however often it is
// said.
class ImportNotes {
 public:
  void Add(std::string text) {
    if (std::ranges::find(texts_, text) == texts_.end()) texts_.push_back(std::move(text));
  }
  // In the order in which they were added.
  [[nodiscard]] const std::vector<std::string>& all() const { return texts_; }

 private:
  std::vector<std::string> texts_;
};

}  // namespace jettison
