#include "cli/recommend/node_reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "cli/simulate/node_source.h"
#include "cli/simulate/simulated_file.h"

namespace jettison {
namespace {

constexpr int kNotRead = 1;
constexpr int kDamaged = 2;

void Tell(const std::string& fault) {
  fmt::print(stderr, "jettison: {}\n", fault);
}

NodeReading ReadingOf(tl::expected<SimulationReport, RunFailure> report) {
  if (!report) {
    Tell(report.error().message);
    return {.report = {}, .status = ExitStatusOf(report.error())};
  }
  for (const std::string& fault : report->faults) Tell(fault);
  const int status = report->faults.empty() ? 0 : kDamaged;
  return {.report = std::move(*report), .status = status};
}

NodeReading ReadStandardInput(const RecordingRun& run, const std::function<void(double)>& tell) {
  auto file = SimulatedFile::Open("-");
  if (!file) {
    Tell(file.error().message);
    return {.report = {}, .status = kNotRead};
  }
  return ReadingOf(
      RunOver(run, file->source(), file->name(), [&] { tell(file->stream().Progress()); }));
}

// What is wrong with the files of a node, told and as an exit status.
int TellInputs(const std::vector<FleetInput>& inputs) {
  int status = 0;
  for (const FleetInput& input : inputs) {
    for (const std::string& fault : input.faults) {
      const bool named = fault.find(input.name) != std::string::npos;
      Tell(named ? fault : input.name + ": " + fault);
    }
    if (input.unread) {
      status = kNotRead;
    } else if (!input.faults.empty() && status == 0) {
      status = kDamaged;
    }
  }
  return status;
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

NodeReading ReadNode(const NodeInput& node, const RecordingRun& run,
                     const std::function<void(double)>& tell) {
  if (!node.files) return ReadStandardInput(run, tell);
  NodeSource source(*node.files);
  NodeReading reading = ReadingOf(
      RunOver(run, source, node.files->files.front().name, [&] { tell(source.Progress()); }));
  reading.status = std::max(reading.status, TellInputs(source.TakeInputs()));
  return reading;
}

}  // namespace jettison
