#include "sim/frames/pod_course.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace jettison {
namespace {

// Over a shorter time, growth cannot be distinguished from the batches in which memory is charged.
constexpr Duration kShortest = std::chrono::milliseconds(500);
constexpr Duration kLately = std::chrono::seconds(5);

// How much growth is assumed to vary from one stretch to the next.
constexpr double kLess = 0.8;
constexpr double kMore = 1.25;

}  // namespace

void RecordedCourse::Life::Add(Point point) {
  if (!points.empty()) before_last = last;
  last = point;
  if (!points.empty() && ++skipped < every) return;
  skipped = 0;
  points.push_back(point);
  if (points.size() < kMostPoints) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < points.size(); i += 2) points[kept++] = points[i];
  points.resize(kept);
  every *= 2;
}

void RecordedCourse::Seen(std::int64_t memory, Instant at, std::optional<Instant> before) {
  constexpr std::int64_t kMuchLess = 2;  // half of it
  const bool was_away = !active_;
  const bool has_less = has_points() && memory < now_.last.memory / kMuchLess;
  if (ended_ && (was_away || has_less)) {
    before_ = std::exchange(now_, {});
    ++life_;
    ended_ = false;
  }
  active_ = true;
  if (!has_points()) now_.born = before.value_or(at);
  now_.Add({.at = at, .memory = memory});
}

GrowthBounds RecordedCourse::GrowthOf(const Life& life) {
  if (life.points.empty()) return {};
  const auto since = [&life](Duration span) -> const Point& {
    for (auto point = life.points.rbegin(); point != life.points.rend(); ++point) {
      if (Elapsed(point->at, life.last.at) >= span) return *point;
    }
    return life.points.front();
  };
  const auto slope = [&life](const Point& from) {
    const double seconds = SecondsOf(Elapsed(from.at, life.last.at));
    return seconds <= 0 ? 0.0 : static_cast<double>(life.last.memory - from.memory) / seconds;
  };
  const double last = slope(since(kShortest));
  const double lately = slope(since(kLately));
  GrowthBounds bounds;
  bounds.likely = std::max(last > 0 ? last : lately, 0.0);
  bounds.least = std::min(bounds.likely, std::max(lately, 0.0)) * kLess;
  bounds.most = std::max(bounds.likely, lately) * kMore;
  return bounds;
}

GrowthBounds RecordedCourse::Growth() const {
  return GrowthOf(now_);
}

double RecordedCourse::AmountAtAge(unsigned life, Duration age) const {
  const Life& lived = LifeOf(life);
  if (lived.points.empty()) return 0;
  const Instant at = lived.born + std::max(age, Duration{0});
  if (at >= lived.last.at) {
    const double beyond = SecondsOf(Elapsed(lived.last.at, at));
    return static_cast<double>(lived.last.memory) + GrowthOf(lived).likely * beyond;
  }
  const auto after = std::ranges::upper_bound(lived.points, at, {}, &Point::at);
  const Point from = after == lived.points.begin() ? Point{.at = lived.born} : *(after - 1);
  const Point& to = after == lived.points.end() ? lived.last : *after;
  const double share = SecondsOf(Elapsed(from.at, at)) / SecondsOf(Elapsed(from.at, to.at));
  return static_cast<double>(from.memory) + static_cast<double>(to.memory - from.memory) * share;
}

double RecordedCourse::GrowthAtAge(unsigned life, Duration age) const {
  constexpr Duration kStep = std::chrono::seconds(1);
  return AmountAtAge(life, age + kStep) - AmountAtAge(life, age);
}

}  // namespace jettison
