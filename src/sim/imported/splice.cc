#include "sim/imported/splice.h"

#include <algorithm>

namespace jettison {

std::vector<Track::Point> FillersFor(const std::vector<Track::Point>& points,
                                     const std::vector<Track::Point>& others) {
  std::vector<Track::Point> fillers;
  auto next = points.begin();
  for (const Track::Point& other : others) {
    next = std::find_if(next, points.end(),
                        [&](const Track::Point& point) { return point.at >= other.at; });
    const bool is_outside = next == points.begin() || next == points.end();
    if (next != points.end() && next->at == other.at) continue;
    if (is_outside || Elapsed(std::prev(next)->at, next->at) > kStaleness) {
      fillers.push_back(other);
    }
  }
  return fillers;
}

bool TellsMore(const std::vector<Track::Point>& others, const std::vector<Track::Point>& points) {
  if (points.empty()) return !others.empty();
  const Instant first = points.front().at;
  const Instant last = points.back().at;
  return std::ranges::any_of(FillersFor(points, others), [&](const Track::Point& filler) {
    return (filler.at > first && filler.at < last) || filler.at < first - kStaleness ||
           filler.at > last + kStaleness;
  });
}

void Splice(const std::vector<Track::Point>& fillers, std::vector<Track::Point>& points) {
  const auto middle = static_cast<std::ptrdiff_t>(points.size());
  points.insert(points.end(), fillers.begin(), fillers.end());
  std::ranges::inplace_merge(points, points.begin() + middle, {}, &Track::Point::at);
}

}  // namespace jettison
