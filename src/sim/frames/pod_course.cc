#include "sim/frames/pod_course.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace jettison {
namespace {

// Over a shorter time, growth cannot be distinguished from the batches in which memory is charged.
constexpr Duration kShortest = std::chrono::milliseconds(500);
constexpr Duration kLately = std::chrono::seconds(5);

// The agent waits no longer than this for a pod that it ends.
constexpr Duration kLongestEnd = std::chrono::seconds(30);

}  // namespace

void RecordedCourse::Life::Add(Point point) {
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
  const bool was_away = !std::exchange(active_, true);
  if (ended_) {
    const bool has_less = memory < now_.last.memory / kMuchLess;
    const bool goes_on = Elapsed(now_.last.at, at) > kLongestEnd;
    // Until it is gone, what it holds says nothing of how it grew.
    if (!was_away && !has_less && !goes_on) return;
    before_ = std::exchange(now_, {});
    ++life_;
    ended_ = false;
  }
  if (now_.points.empty()) now_.born = before.value_or(at);
  now_.Add({.at = at, .memory = memory});
}

double RecordedCourse::GrowthOf(const Life& life) {
  if (life.points.empty()) return 0;
  const auto slope_over = [&life](Duration span) {
    const Point* since = &life.points.front();
    for (const Point& point : life.points) {
      if (Elapsed(point.at, life.last.at) >= span) since = &point;
    }
    const double seconds = SecondsOf(Elapsed(since->at, life.last.at));
    return seconds <= 0 ? 0.0 : static_cast<double>(life.last.memory - since->memory) / seconds;
  };
  const double last = slope_over(kShortest);
  return std::max(last > 0 ? last : slope_over(kLately), 0.0);
}

double RecordedCourse::AmountAtAge(unsigned life, Duration age) const {
  const Life& lived = LifeOf(life);
  if (lived.points.empty()) return 0;
  const Instant at = lived.born + std::max(age, Duration{0});
  if (at >= lived.last.at) {
    const double beyond = SecondsOf(Elapsed(lived.last.at, at));
    return static_cast<double>(lived.last.memory) + GrowthOf(lived) * beyond;
  }
  const auto after = std::ranges::upper_bound(lived.points, at, {}, &Point::at);
  const Point from = after == lived.points.begin() ? Point{.at = lived.born} : *(after - 1);
  const Point& to = after == lived.points.end() ? lived.last : *after;
  const double share = SecondsOf(Elapsed(from.at, at)) / SecondsOf(Elapsed(from.at, to.at));
  return static_cast<double>(from.memory) + static_cast<double>(to.memory - from.memory) * share;
}

Duration RecordedCourse::AgeOf(unsigned life) const {
  const Life& lived = LifeOf(life);
  return lived.points.empty() ? Duration{0} : Elapsed(lived.born, lived.last.at);
}

RecordedCourse::Repeated RecordedCourse::GoingOn(std::int64_t held, Instant at) const {
  const Repeated present{.life = life_, .born = at - AgeOf(life_)};
  if (life_ == 0) return present;
  const auto reached = std::ranges::find_if(
      before_.points, [&](const Point& point) { return point.memory >= held; });
  // A life of which nothing more is known says nothing of how it goes on.
  if (reached == before_.points.end() || reached + 1 == before_.points.end()) return present;
  return {.life = life_ - 1, .born = at - Elapsed(before_.born, reached->at)};
}

RecordedCourse::Repeated RecordedCourse::Anew(Instant at) const {
  const bool before = life_ > 0 && AgeOf(life_ - 1) > AgeOf(life_);
  return {.life = before ? life_ - 1 : life_, .born = at};
}

}  // namespace jettison
