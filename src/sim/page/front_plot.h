#pragma once

#include <string>

#include "sim/recommend/recommendation.h"

namespace jettison {

// All policies that were tried as an SVG document: memory kept free to the right, evictions
// upwards, and a line through those on the front.
[[nodiscard]] std::string FrontSvg(const Recommendation& recommendation);

}  // namespace jettison
