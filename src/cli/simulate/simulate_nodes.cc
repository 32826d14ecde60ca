#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <future>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "cli/recording/recording_file.h"
#include "cli/simulate/simulate.h"
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

WhatIfOptions OptionsFor(const RecordingRun& run, bool calibrates) {
  WhatIfOptions options{
      .model = run.candidates.model, .thinning = {}, .blind = calibrates || run.thin_all};
  options.keep_passes = run.keep_passes && !calibrates;
  if (options.blind) options.thinning = run.every;
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

void Simulate(const RecordingRun& run, const std::function<void(double)>& progress,
              NodeSource& source, SimulationReport& report) {
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
    for (CandidatePolicy& each : run.more(pass)) candidates->push_back(std::move(each));
  }
  for (const CandidatePolicy& each : *candidates) {
    report.policies.push_back(each.policy_for ? each.policy_for(base) : base);
  }
  WhatIf whatif(*candidates, OptionsFor(run, false));
  WhatIf calibration({{.name = "in force", .policy_for = {}}}, OptionsFor(run, true));
  const auto courses = run.courses ? std::make_shared<NodeCourses>() : nullptr;
  report.courses = courses;
  const auto add = [&](const RecordedItem& item) {
    if (courses) courses->Add(item);
    whatif.Add(item);
    calibration.Add(item);
  };
  for (const RecordedItem& item : first) add(item);
  while (const auto item = *source.Next()) {
    add(*item);
    if (progress) progress(source.Progress());
  }
  whatif.Finish();
  calibration.Finish();
  report.facts = whatif.facts();
  report.outcomes = whatif.Outcomes();
  report.foretold = calibration.Outcomes().front();
  report.calibration.every = run.every;
  Calibrate(report);
}

SimulationReport ReportOf(const RecordingRun& run, const FleetNodeFiles& node, bool is_only) {
  try {
    ProgressBar bar(is_only);
    return RunOver(run, node, [&](double share) { bar.Draw(share); });
  } catch (const std::exception& exception) {
    // There was no memory for it, or a fault of ours ended it.
    SimulationReport lost{.failure = fmt::format("it cannot be simulated: {}", exception.what())};
    lost.facts.node = node.node;
    for (const FleetFile& file : node.files) {
      lost.inputs.push_back({.name = file.name, .unread = true, .faults = {lost.failure}});
    }
    return lost;
  }
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

}  // namespace

SimulationReport RunOver(const RecordingRun& run, const FleetNodeFiles& node,
                         const std::function<void(double)>& progress) {
  SimulationReport report;
  NodeSource source(node);
  Simulate(run, progress, source, report);
  report.inputs = source.TakeInputs();
  if (!report.facts.from && report.failure.empty()) TellNoPass(node, report);
  if (report.facts.node.empty()) report.facts.node = node.node;
  return report;
}

SimulatedNodes SimulateNodes(const RecordingRun& run, const std::vector<FleetNodeFiles>& nodes) {
  std::vector<std::promise<SimulationReport>> made(nodes.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < nodes.size(); i = next++) {
      made[i].set_value(ReportOf(run, nodes[i], nodes.size() == 1));
    }
  };
  const std::size_t processors = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t jobs = std::min(run.jobs == 0 ? processors : run.jobs, nodes.size());
  std::vector<std::jthread> threads;  // last, so that they end first
  try {
    while (threads.size() < jobs) threads.emplace_back(work);
  } catch (const std::system_error&) {
    if (threads.empty()) work();
  }
  SimulatedNodes all;
  ProgressBar bar(nodes.size() > 1);
  for (std::promise<SimulationReport>& each : made) {
    const SimulationReport& report = all.reports.emplace_back(each.get_future().get());
    bar.Draw(static_cast<double>(all.reports.size()) / static_cast<double>(nodes.size()),
             fmt::format("{} of {} nodes", all.reports.size(), nodes.size()));
    TellFaults(report);
    const int status = ExitStatusOf(report);
    if (status == kExitFailed || all.status == 0) all.status = status;
  }
  return all;
}

}  // namespace jettison
