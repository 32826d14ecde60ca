#pragma once

#include <chrono>
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

// The samples of one node: by figure, and then by the series that tell of it.
using NodeSeries = std::map<MetricSeries, std::map<MetricSeries, std::vector<TrackPoint>>>;

// One figure of a node through time, by its samples.
class Track {
 public:
  // A counter that has grown, or was set back.
  struct Step {
    Instant from;  // the sample before
    Instant to;
    double by = 0;       // since then; what a counter has that began anew
    bool reset = false;  // it fell
  };

  // `points` are in the order of time, no two at one time.
  Track(MetricSeries figure, std::vector<TrackPoint> points);

  [[nodiscard]] std::string_view Label(std::string_view label) const {
    return figure_.Label(label);
  }
  [[nodiscard]] const std::string& metric() const { return figure_.name; }
  [[nodiscard]] const std::vector<TrackPoint>& points() const { return points_; }
  // The UID of the pod that the figure is about; empty: it does not say.
  [[nodiscard]] std::string PodUid() const;
  // The median time between two samples; zero: there are fewer than two.
  [[nodiscard]] Duration interval() const { return interval_; }

  // A gauge at that moment: on the line between two samples that are not further apart than
  // kStaleness, or behind the last one for as long as samples are apart. None: it is not known.
  [[nodiscard]] std::optional<double> At(Instant at) const;
  // The last sample before that moment that is a number; null: there is none.
  [[nodiscard]] const TrackPoint* LastBefore(Instant at) const;
  // The first one from that moment on, within kStaleness.
  [[nodiscard]] const TrackPoint* FirstFrom(Instant at) const;
  // Where it changed from one sample to the next; what it began with is no change.
  [[nodiscard]] std::vector<Step> Steps() const;

  // Adds a sample of that moment: what it would be had the amount that is used grown on as it did
  // between the two samples before, or else the last one. Nothing else grows.
  void GrowTo(Instant at, bool is_used);
  // Adds a sample of that moment, or changes it.
  void Put(Instant at, double value);
  // What the figure is about ended after that moment. Samples up to `until` that follow without a
  // pause are left out, because they are not of what may have begun anew. `interval`: of scrapes;
  // what lives briefly has longer ones of its own.
  void EndAt(Instant at, Instant until, Duration interval);

 private:
  MetricSeries figure_;
  std::vector<TrackPoint> points_;
  Duration interval_{0};
};

// An amount as a whole number of things, 0 or more.
[[nodiscard]] std::uint64_t CountOf(double amount);
// None: there is no track (null), or it is not known.
[[nodiscard]] std::optional<std::uint64_t> CountAt(const Track* track, Instant at);

// The figures of one node. Where several series tell of one figure, as with two replicas of a
// Prometheus or with a container that was restarted, one that goes on for longer counts from its
// first sample on.
class NodeTracks {
 public:
  using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

  explicit NodeTracks(const NodeSeries& series);

  // All figures of a metric, by their labels.
  [[nodiscard]] std::vector<Track>& Of(std::string_view metric) {
    return by_metric_[std::string(metric)];
  }
  // Those of them that are about the pod: by its UID where they have one, else by its name.
  [[nodiscard]] std::vector<Track*> OfPod(std::string_view metric, const Pod& pod);
  // The first one that has these labels; null: there is none.
  [[nodiscard]] Track* Find(std::string_view metric, Labels labels = {});
  [[nodiscard]] bool Has(std::string_view metric) { return !Of(metric).empty(); }

 private:
  std::map<std::string, std::vector<Track>> by_metric_;
};

}  // namespace jettison
