#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/simulate/candidates.h"
#include "cli/terminal/command_faults.h"
#include "core/pass/recorded_pass.h"
#include "sim/report/simulation_head.h"
#include "sim/report/simulation_report.h"

namespace jettison {

// What the policies of a node are compared with: "what-happened", "in-force" (the policy in force
// as it is simulated), or a policy in a file, which is tried beside those of the run.
class Comparison {
 public:
  // Empty: with nothing.
  Comparison(const std::string& against, CommandFaults& faults);

  [[nodiscard]] std::vector<CandidatePolicy> PoliciesFor(const RecordedPass& first) const;
  [[nodiscard]] std::vector<NamedSetting> Settings() const;
  // Adds the differences: of each other policy that was tried, or else of the one in force.
  void Compare(SimulationReport& report) const;

 private:
  std::string against_;
  std::optional<CandidateForms> forms_;
};

}  // namespace jettison
