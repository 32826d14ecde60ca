#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/recommend/recommendation.h"
#include "sim/report/simulation_report.h"

namespace jettison {

// So many evictions of a policy and recording are told, and so many OOM kills.
inline constexpr std::size_t kMostOnPage = 500;

// So many recordings have their courses and evictions on the page, which would else grow by up to
// some hundred kilobytes with each: those with the most evictions and OOM kills in the policies
// that are told, of equal ones the first.
inline constexpr std::size_t kMostDetailed = 50;

// The data of the report page: JSON in which no character can end a script element or begin a
// comment. Moments are milliseconds since 1970. Every report has its courses. Policies that a
// recommendation (null: of `simulate`) has not on its front have their costs only, and so have
// those of recordings without details.
[[nodiscard]] std::string PageData(const std::vector<SimulationReport>& reports,
                                   const Recommendation* recommendation);

}  // namespace jettison
