#include "sim/report/simulation_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "core/units/duration.h"

namespace jettison {

std::string_view SimulationReport::recording() const {
  return inputs.empty() ? std::string_view(facts.node) : inputs.front().name;
}

bool SimulationReport::IsDamaged() const {
  return !failure.empty() || std::ranges::any_of(inputs, [](const SimulatedInput& input) {
    return !input.faults.empty();
  });
}

std::vector<std::string> SimulationReport::Faults() const {
  std::vector<std::string> all;
  for (const SimulatedInput& input : inputs) {
    for (const std::string& fault : input.faults) {
      const bool is_named = fault.find(input.name) != std::string::npos;
      all.push_back(is_named ? fault : fmt::format("{}: {}", input.name, fault));
    }
  }
  if (!failure.empty()) all.push_back(failure);
  return all;
}

void Calibrate(SimulationReport& report) {
  const Duration every = report.calibration.every;
  const Duration reach =
      std::max<Duration>({every, report.facts.longest_step, std::chrono::seconds(1)});
  report.calibration = Compare(report.facts.evictions, report.foretold.evictions, reach);
  report.calibration.every = every;
}

SimulationTotals TotalsOf(const std::vector<SimulationReport>& nodes, std::size_t policies) {
  SimulationTotals totals{.nodes = nodes.size()};
  totals.policies.resize(policies);
  for (const SimulationReport& node : nodes) {
    const RecordingFacts& facts = node.facts;
    totals.nodes_failed += node.failure.empty() ? 0 : 1;
    for (const SimulatedInput& input : node.inputs) {
      ++totals.recordings;
      totals.recordings_damaged += input.faults.empty() ? 0 : 1;
      totals.bytes += input.bytes;
    }
    totals.passes += facts.passes;
    totals.pods += facts.pods;
    totals.flaws += facts.flaw_count;
    totals.unknown_seconds += SecondsOf(facts.unknown);
    totals.recorded_evictions += facts.evictions.size();
    totals.recorded_oom_kills += facts.oom_kills.size();
    totals.calibration.Add(node.calibration);
    for (std::size_t i = 0; i < node.outcomes.size(); ++i) {
      const PolicyOutcome& outcome = node.outcomes[i];
      PolicyTotals& sums = totals.policies[i];
      sums.evictions += outcome.evictions.size();
      sums.oom_kills += outcome.oom_kills.size();
      sums.nodes_with_evictions += outcome.evictions.empty() ? 0 : 1;
      sums.condition_seconds += SecondsOf(outcome.condition_time.Sum());
      sums.idle_byte_seconds += outcome.idle_byte_seconds;
      sums.pod_seconds_lost += SecondsOf(outcome.pod_time_lost);
    }
  }
  return totals;
}

}  // namespace jettison
