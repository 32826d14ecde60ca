#include "cli/recommend/node_reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include "cli/simulate/node_source.h"
#include "cli/simulate/simulated_file.h"
#include "cli/terminal/exit_status.h"

namespace jettison {
namespace {

NodeSimulation ReadingOf(tl::expected<SimulationReport, RunFailure> report) {
  if (!report) {
    return {
        .report = {}, .faults = {report.error().message}, .status = ExitStatusOf(report.error())};
  }
  const int status = report->faults.empty() ? 0 : kExitInvalidInput;
  std::vector<std::string> faults = report->faults;
  return {.report = std::move(*report), .faults = std::move(faults), .status = status};
}

NodeSimulation ReadStandardInput(const RecordingRun& run, const std::function<void(double)>& tell) {
  auto file = SimulatedFile::Open("-");
  if (!file) return {.report = {}, .faults = {file.error().message}, .status = kExitFailed};
  return ReadingOf(
      RunOver(run, file->source(), file->name(), [&] { tell(file->stream().Progress()); }));
}

// Adds what is wrong with the files of a node.
void TakeInputs(const std::vector<FleetInput>& inputs, NodeSimulation& reading) {
  for (const FleetInput& input : inputs) {
    for (const std::string& fault : input.faults) {
      const bool named = fault.find(input.name) != std::string::npos;
      reading.faults.push_back(named ? fault : input.name + ": " + fault);
    }
    if (input.unread) {
      reading.status = kExitFailed;
    } else if (!input.faults.empty() && reading.status == 0) {
      reading.status = kExitInvalidInput;
    }
  }
}

std::optional<std::int64_t> CapacityOf(const FleetNodeFiles& files) {
  NodeSource source(files);
  for (;;) {
    const auto item = source.Next();
    if (!item || !*item) return std::nullopt;
    const auto* pass = std::get_if<std::shared_ptr<const RecordedPass>>(&**item);
    if (pass == nullptr) continue;
    const auto& memory = (*pass)->report.observations[Signal::kMemoryAvailable];
    if (memory) return memory->capacity;
  }
}

}  // namespace

Result<std::vector<NodeInput>> NodesIn(const std::vector<std::string>& paths) {
  if (paths.size() == 1 && paths.front() == "-") {
    return std::vector<NodeInput>{{.name = "standard input", .files = {}}};
  }
  const auto files = FindRecordings(paths);
  if (!files) return Fail(files.error());
  if (files->empty()) {
    return Fail(ErrorCode::kUnavailable,
                fmt::format("there is no recording in {}: no file that ends in .jtr, .ndjson or "
                            ".jsonl",
                            fmt::join(paths, ", ")));
  }
  std::vector<NodeInput> nodes;
  for (FleetNodeFiles& node : NodesOfShard(*files, {.index = 0, .count = 1})) {
    nodes.push_back({.name = node.node, .files = std::move(node)});
  }
  return nodes;
}

std::optional<std::int64_t> LeastCapacityOf(const std::vector<NodeInput>& nodes) {
  std::optional<std::int64_t> least;
  for (const NodeInput& node : nodes) {
    const auto capacity = node.files ? CapacityOf(*node.files) : std::nullopt;
    if (capacity) least = std::min(least.value_or(*capacity), *capacity);
  }
  return least;
}

NodeSimulation ReadNode(const NodeInput& node, const RecordingRun& run,
                        const std::function<void(double)>& tell) {
  if (!node.files) return ReadStandardInput(run, tell);
  NodeSource source(*node.files);
  NodeSimulation reading = ReadingOf(
      RunOver(run, source, node.files->files.front().name, [&] { tell(source.Progress()); }));
  TakeInputs(source.TakeInputs(), reading);
  return reading;
}

}  // namespace jettison
