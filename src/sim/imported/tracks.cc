#include "sim/imported/tracks.h"

#include <algorithm>
#include <cmath>
#include <ranges>

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

// The samples of a figure in one.
Points Joined(const std::map<MetricSeries, Points>& all) {
  std::vector<const Points*> by_begin;
  for (const Points& points : all | std::views::values) {
    if (!points.empty()) by_begin.push_back(&points);
  }
  std::ranges::stable_sort(by_begin, {}, [](const Points* points) { return points->front().at; });
  Points joined;
  for (const Points* points : by_begin) {
    if (!joined.empty() && points->back().at <= joined.back().at) continue;
    std::erase_if(joined, [&](const TrackPoint& each) { return each.at >= points->front().at; });
    joined.insert(joined.end(), points->begin(), points->end());
  }
  return joined;
}

}  // namespace

Track::Track(MetricSeries figure, Points points)
    : figure_(std::move(figure)), points_(std::move(points)), interval_(MedianInterval(points_)) {}

// Of a control group it is in the name: ".../pod0c2a_...".
std::string Track::PodUid() const {
  if (!Label("uid").empty()) return std::string(Label("uid"));
  constexpr std::size_t kLength = 36;
  const std::string_view id = Label("id");
  const std::size_t begin = id.rfind("pod");
  if (begin == std::string_view::npos) return {};
  std::string uid(id.substr(begin + 3));
  uid.resize(std::min(uid.find_first_of("./"), uid.size()));
  std::ranges::replace(uid, '_', '-');
  return uid.size() == kLength ? uid : std::string();
}

std::optional<double> Track::At(Instant at) const {
  const auto to = std::ranges::upper_bound(points_, at, {}, &TrackPoint::at);
  if (to == points_.begin() || !std::isfinite((to - 1)->value)) return std::nullopt;
  const auto from = to - 1;
  if (to == points_.end() || !std::isfinite(to->value) || Elapsed(from->at, to->at) > kStaleness) {
    return Elapsed(from->at, at) > interval_ ? std::nullopt : std::optional(from->value);
  }
  const double share = SecondsOf(Elapsed(from->at, at)) / SecondsOf(Elapsed(from->at, to->at));
  return from->value + (to->value - from->value) * share;
}

const TrackPoint* Track::LastBefore(Instant at) const {
  auto next = std::ranges::lower_bound(points_, at, {}, &TrackPoint::at);
  while (next != points_.begin() && !std::isfinite((next - 1)->value)) --next;
  return next == points_.begin() ? nullptr : &*(next - 1);
}

const TrackPoint* Track::FirstFrom(Instant at) const {
  const auto first = std::ranges::find_if(points_, [at](const TrackPoint& point) {
    return point.at >= at && std::isfinite(point.value);
  });
  return first == points_.end() || Elapsed(at, first->at) > kStaleness ? nullptr : &*first;
}

std::vector<Track::Step> Track::Steps() const {
  std::vector<Step> steps;
  const TrackPoint* before = nullptr;
  for (const TrackPoint& point : points_) {
    if (!std::isfinite(point.value)) continue;
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

void Track::GrowTo(Instant at, bool is_used) {
  const auto next = std::ranges::lower_bound(points_, at, {}, &TrackPoint::at);
  if (next == points_.begin() || std::isnan((next - 1)->value)) return;
  if (next != points_.end() && next->at == at) return;
  const TrackPoint& last = *(next - 1);
  double value = last.value;
  if (next - points_.begin() > 1 && Elapsed(last.at, at) <= kStaleness) {
    const TrackPoint& before = *(next - 2);
    const double by = (value - before.value) / SecondsOf(Elapsed(before.at, last.at)) *
                      SecondsOf(Elapsed(last.at, at));
    if (is_used ? by > 0 : by < 0) value = std::max(value + by, 0.0);
  }
  points_.insert(next, {.at = at, .value = value});
}

void Track::Put(Instant at, double value) {
  const auto next = std::ranges::lower_bound(points_, at, {}, &TrackPoint::at);
  if (next != points_.end() && next->at == at) {
    next->value = value;
  } else {
    points_.insert(next, {.at = at, .value = value});
  }
}

void Track::EndAt(Instant at, Instant until, Duration interval) {
  constexpr double kMissing = 1.75;  // if two samples are that many intervals apart, one is missing
  const auto first = std::ranges::upper_bound(points_, at, {}, &TrackPoint::at);
  auto last = first;
  for (; last != points_.end() && last->at < until; ++last) {
    if (std::isnan(last->value)) break;
    if (last == points_.begin()) continue;
    const TrackPoint& before = *(last - 1);
    const double apart = SecondsOf(Elapsed(before.at, last->at));
    if (std::isnan(before.value) || apart > SecondsOf(interval) * kMissing) break;
  }
  points_.insert(points_.erase(first, last), {.at = at + Duration{1}, .value = std::nan("")});
}

std::uint64_t CountOf(double amount) {
  constexpr double kMost = 9e18;
  return static_cast<std::uint64_t>(std::clamp(std::round(amount), 0.0, kMost));
}

std::optional<std::uint64_t> CountAt(const Track* track, Instant at) {
  const auto amount = track == nullptr ? std::nullopt : track->At(at);
  return amount ? std::optional(CountOf(*amount)) : std::nullopt;
}

NodeTracks::NodeTracks(const NodeSeries& series) {
  for (const auto& [figure, all] : series) {
    Points points = Joined(all);
    if (!points.empty()) Of(figure.name).emplace_back(figure, std::move(points));
  }
}

std::vector<Track*> NodeTracks::OfPod(std::string_view metric, const Pod& pod) {
  std::vector<Track*> tracks;
  for (Track& each : Of(metric)) {
    if (each.Label("pod") != pod.name || each.Label("namespace") != pod.namespace_) continue;
    const std::string uid = each.PodUid();
    if (uid.empty() || uid == pod.uid || pod.uid == FullName(pod)) tracks.push_back(&each);
  }
  return tracks;
}

Track* NodeTracks::Find(std::string_view metric, Labels labels) {
  for (Track& each : Of(metric)) {
    const bool has_all = std::ranges::all_of(
        labels, [&](const auto& label) { return each.Label(label.first) == label.second; });
    if (has_all) return &each;
  }
  return nullptr;
}

}  // namespace jettison
