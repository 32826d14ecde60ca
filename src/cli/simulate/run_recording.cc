#include "cli/simulate/run_recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/recording/recording_file.h"
#include "cli/simulate/node_source.h"
#include "cli/terminal/exit_status.h"
#include "cli/terminal/output.h"
#include "sim/whatif/whatif.h"

namespace jettison {
namespace {

const RecordedPass* PassOf(const RecordedItem& item) {
  const auto* pass = std::get_if<std::shared_ptr<const RecordedPass>>(&item);
  return pass != nullptr ? pass->get() : nullptr;
}

// Until the first pass, whose policy everything else is about.
std::vector<RecordedItem> Beginning(NodeSource& source) {
  std::vector<RecordedItem> items;
  while (auto item = *source.Next()) {
    items.push_back(std::move(*item));
    if (PassOf(items.back()) != nullptr) break;
  }
  return items;
}

WhatIfOptions OptionsFor(const RecordingRun& run, const WhatIfModel& model, bool calibrates) {
  WhatIfOptions options{.model = model, .thinning = {}, .blind = calibrates || run.thin_all};
  options.keep_passes = run.keep_passes && !calibrates;
  options.model.after_eviction = run.after_eviction;
  if (options.blind) {
    options.thinning = ThinningRule{
        .every = run.every, .peaks = !run.without_peaks, .end_times = run.with_end_times};
  }
  return options;
}

// Says why there is no pass. A file that was named and is empty may have something at another try.
void TellNoPass(const FleetNodeFiles& node, SimulationReport& report) {
  report.failure = "its recordings have no pass";
  SimulatedInput& input = report.inputs.front();
  if (report.inputs.size() > 1 || input.bytes > 0 || !input.faults.empty()) return;
  report.failure = EmptyInput(input.name);
  const FleetFile& file = node.files.front();
  input.unread = file.is_stream || file.name == file.path;
}

void Simulate(const RecordingRun& run, const Onlooker& onlooker, NodeSource& source,
              SimulationReport& report) {
  const std::vector<RecordedItem> first = Beginning(source);
  if (first.empty() || PassOf(first.back()) == nullptr) return;
  const RecordedPass& pass = *PassOf(first.back());
  const PassPolicy base = *pass.policy;
  auto candidates = CandidatesFor(run.candidates, base);
  if (!candidates) {
    report.failure = candidates.error().message;
    return;
  }
  if (run.more) {
    for (CandidatePolicy& each : run.more(pass)) candidates->policies.push_back(std::move(each));
  }
  for (const CandidatePolicy& each : candidates->policies) {
    report.policies.push_back(each.policy_for ? each.policy_for(base) : base);
  }
  WhatIf whatif(candidates->policies, OptionsFor(run, candidates->model, false));
  WhatIf calibration({{.name = "in force", .policy_for = {}}},
                     OptionsFor(run, candidates->model, true));
  const auto add = [&](const RecordedItem& item) {
    if (onlooker.item) onlooker.item(item);
    whatif.Add(item);
    calibration.Add(item);
  };
  for (const RecordedItem& item : first) add(item);
  while (const auto item = *source.Next()) {
    add(*item);
    if (onlooker.progress) onlooker.progress(source.Progress());
  }
  whatif.Finish();
  calibration.Finish();
  report.facts = whatif.facts();
  report.outcomes = whatif.Outcomes();
  report.foretold = calibration.Outcomes().front();
  report.calibration.every = run.every;
  Calibrate(report);
}

}  // namespace

std::optional<AfterEviction> AfterEvictionNamed(const std::string& name) {
  if (name == "back") return AfterEviction::kRestarted;
  if (name == "elsewhere") return AfterEviction::kElsewhere;
  return std::nullopt;
}

SimulationReport RunOver(const RecordingRun& run, const FleetNodeFiles& node,
                         const Onlooker& onlooker) {
  SimulationReport report;
  NodeSource source(node);
  Simulate(run, onlooker, source, report);
  report.inputs = source.TakeInputs();
  if (!report.facts.from && report.failure.empty()) TellNoPass(node, report);
  if (report.facts.node.empty()) report.facts.node = node.node;
  return report;
}

int ExitStatusOf(const SimulationReport& report) {
  if (std::ranges::any_of(report.inputs, &SimulatedInput::unread)) return kExitFailed;
  return report.IsDamaged() ? kExitInvalidInput : 0;
}

void TellFaults(const SimulationReport& report) {
  for (const std::string& fault : report.Faults()) {
    const bool is_of_node = fault == report.failure && !report.facts.node.empty();
    const std::string node = is_of_node ? fmt::format("node {}: ", report.facts.node) : "";
    PrintError("jettison: {}{}\n", node, fault);
  }
}

}  // namespace jettison
