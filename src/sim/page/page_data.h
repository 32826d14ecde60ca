#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string>

#include "sim/recommend/recommendation.h"
#include "sim/report/simulation_report.h"
#include "sim/series/node_courses.h"

namespace jettison {

// What is shown of simulations.
struct PageInput {
  std::span<const SimulationReport> reports;
  std::span<const NodeCourses> courses;            // of the reports
  const Recommendation* recommendation = nullptr;  // null: of `simulate`
};

// So many evictions of a policy and recording are told, and so many OOM kills.
inline constexpr std::size_t kMostOnPage = 500;

// So many recordings have their courses and evictions on the page, which would else grow by up to
// some hundred kilobytes with each: those with the most evictions and OOM kills in the policies
// that are told, of equal ones the first. The places of those reports.
inline constexpr std::size_t kMostDetailed = 50;
[[nodiscard]] std::set<std::size_t> DetailedReports(const PageInput& input);

// The data of the report page: JSON in which no character can end a script element or begin a
// comment. Moments are milliseconds since 1970. Policies that a recommendation has not on its front
// have their costs only, and so have those of the other recordings.
[[nodiscard]] std::string PageData(const PageInput& input);

}  // namespace jettison
