#include "sim/imported/track.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace jettison {
namespace {

// If two scrapes are this many times further apart than usual, one is missing.
constexpr double kMissing = 1.75;

Duration MedianInterval(const std::vector<Track::Point>& points) {
  std::vector<Duration> lengths;
  for (std::size_t i = 1; i < points.size(); ++i) {
    lengths.push_back(Elapsed(points[i - 1].at, points[i].at));
  }
  if (lengths.empty()) return Duration{0};
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::ranges::nth_element(lengths, middle);
  return *middle;
}

bool IsEnd(const Track::Point& point) {
  return std::isnan(point.value);
}

}  // namespace

Track::Track(std::vector<Point> points)
    : points_(std::move(points)), interval_(MedianInterval(points_)) {}

std::size_t Track::Behind(Instant at) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(points_, at, {}, &Point::at) -
                                  points_.begin());
}

bool Track::IsBridge(Instant from, Instant to) const {
  return SecondsOf(Elapsed(from, to)) > SecondsOf(interval_) * kMissing;
}

std::optional<TrackReading> Track::At(Instant at) const {
  const std::size_t behind = Behind(at);
  if (behind == 0) return std::nullopt;
  const Point& from = points_[behind - 1];
  if (IsEnd(from)) return std::nullopt;
  if (from.at == at) return TrackReading{.value = from.value, .sampled = at};
  const Point* to = behind < points_.size() ? &points_[behind] : nullptr;
  if (to == nullptr || IsEnd(*to) || Elapsed(from.at, to->at) > kStaleness) {
    if (Elapsed(from.at, at) > interval_) return std::nullopt;
    return TrackReading{.value = from.value, .how = TrackReading::How::kHeld, .sampled = from.at};
  }
  const double share = SecondsOf(Elapsed(from.at, at)) / SecondsOf(Elapsed(from.at, to->at));
  return TrackReading{
      .value = from.value + (to->value - from.value) * share,
      .how = IsBridge(from.at, to->at) ? TrackReading::How::kBridged : TrackReading::How::kBetween,
      .sampled = from.at};
}

std::optional<double> Track::Last(Instant at) const {
  const std::size_t behind = Behind(at);
  if (behind == 0) return std::nullopt;
  const Point& last = points_[behind - 1];
  if (IsEnd(last) || Elapsed(last.at, at) > kStaleness) return std::nullopt;
  return last.value;
}

std::optional<double> Track::RateAt(Instant at, Duration span) const {
  const auto begin = At(at - span);
  const auto end = At(at);
  if (!begin || !end || end->value < begin->value) return std::nullopt;
  return (end->value - begin->value) / SecondsOf(span);
}

std::vector<Track::Step> Track::Steps() const {
  std::vector<Step> steps;
  const Point* before = nullptr;
  for (const Point& point : points_) {
    if (IsEnd(point)) continue;
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
  if (track == nullptr) return std::nullopt;
  const auto reading = track->At(at);
  if (!reading || !std::isfinite(reading->value)) return std::nullopt;
  return reading->value;
}

std::uint64_t CountOf(double amount) {
  constexpr double kMost = 9e18;
  return static_cast<std::uint64_t>(std::clamp(std::round(amount), 0.0, kMost));
}

std::optional<std::uint64_t> CountAt(const Track* track, Instant at) {
  const auto amount = AmountAt(track, at);
  return amount ? std::optional(CountOf(*amount)) : std::nullopt;
}

}  // namespace jettison
