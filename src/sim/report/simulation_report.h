#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/pass/pass_policy.h"
#include "core/units/duration.h"
#include "sim/calibrate/calibration.h"
#include "sim/whatif/whatif_result.h"

namespace jettison {

// What was found in one recording.
struct SimulationReport {
  std::string recording;            // its name for people
  std::vector<std::string> faults;  // of reading it; what they concern was left out
  RecordingFacts facts;
  Calibration calibration;  // of the policy that was in force, by samples alone
  Duration every{0};        // so far apart they were for that; zero: as recorded
  PolicyOutcome foretold;   // by that calibration
  std::vector<PolicyOutcome> outcomes;
  std::vector<PassPolicy> policies;  // of the outcomes, as each was when the recording began
};

struct SimulationTextOptions {
  std::size_t most_evictions = 20;  // of each policy
};

// The calibration first, then a table of the policies, then who is evicted when and why.
[[nodiscard]] std::string SimulationText(const std::vector<SimulationReport>& reports,
                                         const SimulationTextOptions& options = {});
// Of the kind Simulation.
[[nodiscard]] std::string SimulationJson(const std::vector<SimulationReport>& reports);
// A line for each recording and policy.
[[nodiscard]] std::string SimulationCsv(const std::vector<SimulationReport>& reports);

// What recordings are, and how well their evictions are found from samples alone.
[[nodiscard]] std::string HeadText(const std::vector<SimulationReport>& reports);
// The name of a policy and its evictions and OOM kills, at most so many of each; empty where it has
// none.
[[nodiscard]] std::string EvictionsText(const PolicyOutcome& outcome, std::size_t most);

// The calibration alone, with what was missed and what is false.
[[nodiscard]] std::string CalibrationText(const SimulationReport& report);
[[nodiscard]] std::string CalibrationJson(const std::vector<SimulationReport>& reports);

// Two sides of a comparison.
struct DifferenceReport {
  std::string recording;
  std::string a_name;
  std::string b_name;
  std::vector<SimulatedEviction> a;
  std::vector<SimulatedEviction> b;
  std::vector<Pairing> pairs;  // `truth` is a's, `said` is b's
};
// Which evictions of two sides are one and the same: of a pod those within `reach` of each other,
// and of what is left then those that are nearest, within a day.
[[nodiscard]] std::vector<Pairing> PairsOf(const std::vector<SimulatedEviction>& a,
                                           const std::vector<SimulatedEviction>& b, Duration reach);
// Where they differ, each eviction with the explanation of its pass; at most so many of those.
[[nodiscard]] std::string DifferenceText(const DifferenceReport& report, std::size_t explained);
[[nodiscard]] std::string DifferenceJson(const DifferenceReport& report);

}  // namespace jettison
