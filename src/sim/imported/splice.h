#pragma once

#include <vector>

#include "sim/imported/track.h"

namespace jettison {

// Those of `others` which lie where `points` says nothing: before its first sample, after its last
// one, and where it has none for longer than kStaleness. Both are in the order of time.
[[nodiscard]] std::vector<Track::Point> FillersFor(const std::vector<Track::Point>& points,
                                                   const std::vector<Track::Point>& others);

// Whether `others` fill a hole of `points`, or go on for more than kStaleness before or behind
// them.
[[nodiscard]] bool TellsMore(const std::vector<Track::Point>& others,
                             const std::vector<Track::Point>& points);

// Puts them among the points.
void Splice(const std::vector<Track::Point>& fillers, std::vector<Track::Point>& points);

}  // namespace jettison
