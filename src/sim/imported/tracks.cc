#include "sim/imported/tracks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace jettison {
namespace {

using Points = std::vector<TrackPoint>;

Duration MedianInterval(const Points& points) {
  std::vector<Duration> lengths;
  for (std::size_t i = 1; i < points.size(); ++i) {
    lengths.push_back(Elapsed(points[i - 1].at, points[i].at));
  }
  if (lengths.empty()) return Duration{0};
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::ranges::nth_element(lengths, middle);
  return *middle;
}

// The series of a figure in one.
Track Joined(const std::map<MetricSeries, Points, SeriesOrder>& all) {
  std::vector<const Points*> by_begin;
  for (const auto& [series, points] : all) {
    if (!points.empty()) by_begin.push_back(&points);
  }
  std::ranges::stable_sort(by_begin, {}, [](const Points* points) { return points->front().at; });
  Points joined;
  for (const Points* points : by_begin) {
    if (!joined.empty() && points->back().at <= joined.back().at) continue;
    std::erase_if(joined, [&](const TrackPoint& each) { return each.at >= points->front().at; });
    joined.insert(joined.end(), points->begin(), points->end());
  }
  return Track(std::move(joined));
}

// ".../pod0c2a_..." of a control group: the UID of the pod.
std::string UidInGroup(std::string_view id) {
  constexpr std::size_t kLength = 36;
  const std::size_t begin = id.rfind("pod");
  if (begin == std::string_view::npos) return {};
  std::string uid(id.substr(begin + 3));
  uid.resize(std::min(uid.find_first_of("./"), uid.size()));
  std::ranges::replace(uid, '_', '-');
  return uid.size() == kLength ? uid : std::string();
}

}  // namespace

Track::Track(std::vector<Point> points)
    : points_(std::move(points)), interval_(MedianInterval(points_)) {}

const TrackPoint* Track::Before(Instant at) const {
  const auto behind = std::ranges::upper_bound(points_, at, {}, &Point::at);
  if (behind == points_.begin() || std::isnan((behind - 1)->value)) return nullptr;
  return &*(behind - 1);
}

const TrackPoint* Track::Behind(const Point& point) const {
  const Point* next = &point + 1;
  if (next == points_.data() + points_.size() || std::isnan(next->value)) return nullptr;
  return Elapsed(point.at, next->at) > kStaleness ? nullptr : next;
}

std::optional<double> Track::At(Instant at) const {
  const Point* from = Before(at);
  if (from == nullptr) return std::nullopt;
  const Point* to = Behind(*from);
  if (to == nullptr) {
    return Elapsed(from->at, at) > interval_ ? std::nullopt : std::optional(from->value);
  }
  const double share = SecondsOf(Elapsed(from->at, at)) / SecondsOf(Elapsed(from->at, to->at));
  return from->value + (to->value - from->value) * share;
}

std::optional<double> Track::Last(Instant at) const {
  const Point* last = Before(at);
  if (last == nullptr || Elapsed(last->at, at) > kStaleness) return std::nullopt;
  return last->value;
}

std::vector<Track::Step> Track::Steps() const {
  std::vector<Step> steps;
  const Point* before = nullptr;
  for (const Point& point : points_) {
    if (std::isnan(point.value)) continue;
    if (before != nullptr && point.value != before->value) {
      const bool reset = point.value < before->value;
      steps.push_back({.from = before->at,
                       .to = point.at,
                       .by = reset ? point.value : point.value - before->value,
                       .reset = reset});
    }
    before = &point;
  }
  return steps;
}

std::optional<double> AmountAt(const Track* track, Instant at) {
  const auto amount = track == nullptr ? std::nullopt : track->At(at);
  return amount && std::isfinite(*amount) ? amount : std::nullopt;
}

std::uint64_t CountOf(double amount) {
  constexpr double kMost = 9e18;
  return static_cast<std::uint64_t>(std::clamp(std::round(amount), 0.0, kMost));
}

std::optional<std::uint64_t> CountAt(const Track* track, Instant at) {
  const auto amount = AmountAt(track, at);
  return amount ? std::optional(CountOf(*amount)) : std::nullopt;
}

NodeTracks::NodeTracks(const NodeSeries& series) {
  for (const auto& [figure, all] : series) {
    Track track = Joined(all);
    if (track.points().empty()) continue;
    std::vector<LabelledTrack>& tracks = by_metric_[figure.name];
    tracks.push_back({.figure = figure, .track = std::move(track)});
  }
}

const std::vector<LabelledTrack>& NodeTracks::Of(std::string_view metric) const {
  static const std::vector<LabelledTrack> kNone;
  const auto found = by_metric_.find(metric);
  return found == by_metric_.end() ? kNone : found->second;
}

std::vector<const LabelledTrack*> NodeTracks::OfPod(std::string_view metric, const Pod& pod) const {
  std::vector<const LabelledTrack*> tracks;
  for (const LabelledTrack& each : Of(metric)) {
    if (each.figure.Label("pod") != pod.name || each.figure.Label("namespace") != pod.namespace_) {
      continue;
    }
    const std::string uid = UidOf(each.figure);
    if (uid.empty() || uid == pod.uid || pod.uid == FullName(pod)) tracks.push_back(&each);
  }
  return tracks;
}

const Track* NodeTracks::Find(std::string_view metric, Labels labels) const {
  for (const LabelledTrack& each : Of(metric)) {
    const bool has_all = std::ranges::all_of(
        labels, [&](const auto& label) { return each.figure.Label(label.first) == label.second; });
    if (has_all) return &each.track;
  }
  return nullptr;
}

std::string UidOf(const MetricSeries& figure) {
  if (!figure.Label("uid").empty()) return std::string(figure.Label("uid"));
  return UidInGroup(figure.Label("id"));
}

}  // namespace jettison
