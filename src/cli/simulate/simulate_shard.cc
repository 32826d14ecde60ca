#include "cli/simulate/simulate_shard.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <utility>

#include "cli/fleet/work_threads.h"
#include "cli/simulate/fleet_files.h"
#include "cli/simulate/node_source.h"
#include "cli/terminal/exit_status.h"
#include "cli/terminal/output.h"
#include "cli/terminal/output_path.h"
#include "cli/terminal/progress_bar.h"
#include "codec/fleet/part_writer.h"
#include "kernel/files/whole_file.h"
#include "sim/fleet/fleet_node_of.h"

namespace jettison {
namespace {

std::string PathOfPart(const ShardRun& run) {
  if (run.out == "-") return "/dev/stdout";
  std::error_code ignored;
  if (!run.out.ends_with('/') && !std::filesystem::is_directory(run.out, ignored)) return run.out;
  const std::string name =
      fmt::format("shard-{:05}-of-{:05}.part", run.shard.index, run.shard.count);
  return (std::filesystem::path(run.out) / name).string();
}

FleetNode FailedNode(const FleetNodeFiles& files, std::string why) {
  FleetNode node{.node = files.node, .failure = std::move(why), .from = {}, .to = {}};
  return node;
}

FleetNode SimulatedNodeOf(const FleetNodeFiles& files, const RecordingRun& run) {
  NodeSource source(files);
  const auto report = RunOver(run, source, files.node);
  FleetNode node;
  if (!report) {
    node = FailedNode(files, report.error().message);
  } else if (!report->facts.from) {
    node = FailedNode(files, "its recordings have no pass");
  } else {
    node = FleetNodeOf(*report);
  }
  node.node = files.node;
  node.inputs = source.TakeInputs();
  return node;
}

// One that there was no memory for, or that a fault of ours ended, without what was read of it.
FleetNode LostNode(const FleetNodeFiles& files, const std::string& why) {
  FleetNode node = FailedNode(files, why);
  for (const FleetFile& file : files.files) {
    node.inputs.push_back({.name = file.name, .unread = true, .faults = {why}});
  }
  return node;
}

class ShardMaker {
 public:
  ShardMaker(const ShardRun& run, FleetManifest manifest, std::vector<FleetNodeFiles> nodes)
      : run_(run), manifest_(std::move(manifest)), nodes_(std::move(nodes)) {}

  int Make(const std::string& path) {
    WholeFile file(path);
    PartWriter part([&file](std::string_view bytes) { return file.Add(bytes); });
    ProgressBar bar(true);
    const bool made =
        part.Begin(manifest_) &&
        DoOnThreads(
            nodes_.size(), run_.jobs, [this](std::size_t i) { return NodeAt(i); },
            [&](std::size_t i, const FleetNode& node) {
              bar.Draw(static_cast<double>(i + 1) / static_cast<double>(nodes_.size()),
                       fmt::format("{} of {} nodes", i + 1, nodes_.size()));
              Note(node);
              return part.Add(PartLineOf(node));
            }) &&
        part.End();
    if (!made && !file.fault()) {
      PrintError("jettison: no thread could be started\n");
      return kExitFailed;
    }
    if (const auto placed = file.PutInPlace(); !placed) {
      PrintError("jettison: {}\n", placed.error().message);
      return kExitFailed;
    }
    return status_;
  }

 private:
  FleetNode NodeAt(std::size_t i) const {
    try {
      return SimulatedNodeOf(nodes_[i], run_.run);
    } catch (const std::exception& exception) {
      return LostNode(nodes_[i], fmt::format("it cannot be simulated: {}", exception.what()));
    }
  }
  // What is wrong with a node is told and counts for the exit status.
  void Note(const FleetNode& node) {
    const bool unread = std::ranges::any_of(node.inputs, &FleetInput::unread);
    if (unread) {
      status_ = kExitFailed;
    } else if (node.IsDamaged() && status_ == 0) {
      status_ = kExitInvalidInput;
    }
    for (const FleetInput& input : node.inputs) {
      for (const std::string& fault : input.faults) Complain(input.name, fault);
    }
    if (!node.failure.empty()) Complain("node " + node.node, node.failure);
  }
  static void Complain(const std::string& what, const std::string& fault) {
    PrintError("jettison: {}: {}\n", what, fault);
  }

  const ShardRun& run_;
  const FleetManifest manifest_;
  const std::vector<FleetNodeFiles> nodes_;
  int status_ = 0;
};

std::string WhyOutputIsRefused(const ShardRun& run, const std::vector<FleetFile>& files,
                               const std::string& path) {
  std::vector<std::string> inputs = run.policy_files;
  for (const FleetFile& file : files) inputs.push_back(file.path);
  return WhyInputWouldBeLost({{"--out", path}}, inputs);
}

Result<void> MakeFolderOf(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code failed;
  if (!folder.empty()) std::filesystem::create_directories(folder, failed);
  if (!failed) return {};
  return Fail(ErrorCode::kUnavailable,
              fmt::format("cannot make {}: {}", folder.string(), failed.message()));
}

}  // namespace

int SimulateShard(const ShardRun& run) {
  const auto files = FindRecordings(run.paths);
  if (!files) {
    PrintError("jettison: {}\n", files.error().message);
    return kExitFailed;
  }
  if (files->empty()) {
    PrintError(
        "jettison: there is no recording in {}: no file that ends in .jtr, .ndjson or "
        ".jsonl\n",
        run.paths.front());
    return kExitFailed;
  }
  FleetManifest manifest{.version = JETTISON_VERSION,
                         .options = run.options,
                         .policies = PoliciesOf(run.run.candidates),
                         .shard = run.shard,
                         .fleet_recordings = files->size(),
                         .fleet_hash = HashOfFiles(*files)};
  const std::string path = PathOfPart(run);
  if (const std::string lost = WhyOutputIsRefused(run, *files, path); !lost.empty()) {
    PrintError("jettison: {}\n", lost);
    return kExitInvalidInput;
  }
  ShardMaker maker(run, std::move(manifest), NodesOfShard(*files, run.shard));
  if (const auto made = MakeFolderOf(path); !made) {
    PrintError("jettison: {}\n", made.error().message);
    return kExitFailed;
  }
  return maker.Make(path);
}

}  // namespace jettison
