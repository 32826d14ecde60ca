#pragma once

#include <string>
#include <vector>

#include "cli/simulate/candidates.h"
#include "sim/recommend/choice.h"
#include "sim/recommend/recommendation.h"
#include "sim/report/simulation_report.h"
#include "sim/series/node_courses.h"

namespace CLI {
class App;
}

namespace jettison {

// Adds `jettison recommend`, which proposes thresholds out of recordings.
void AddRecommend(CLI::App& app, int& exit_code);

// What is to be recommended for.
struct SearchRun {
  std::vector<std::string> paths;  // recordings and folders, or "-" alone
  // Policies that were asked for; none: a grid is made.
  CandidateForms candidates;
  Prices prices;
  CostLimits limits;
};

struct Found {
  int status = 0;  // as all commands have it
  Recommendation recommendation;
  // Of the nodes whose recordings hold a pass, in the order of their names.
  std::vector<SimulationReport> reports;
  std::vector<NodeCourses> courses;
};

// Reads the recordings and tells faults on standard error. Without a single
// report there is nothing to recommend, and the status says why.
[[nodiscard]] Found Search(const SearchRun& run);

}  // namespace jettison
