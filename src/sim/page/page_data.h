#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/model/signal.h"
#include "core/pass/pass_policy.h"
#include "core/units/duration.h"
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

// A line of a policy in a plot.
struct PlotLine {
  bool hard = true;
  std::int64_t at = 0;  // in the unit of the signal
  Duration grace{0};
};
// Those on a signal with that capacity.
[[nodiscard]] std::vector<PlotLine> LinesOn(Signal signal, const PassPolicy& policy,
                                            std::int64_t capacity);

// The signals that are worth a plot: observed, and with a threshold in any of the policies.
[[nodiscard]] std::vector<Signal> PlottedSignals(const SimulationReport& report,
                                                 const NodeCourses& courses);

}  // namespace jettison
