#include "cli/simulate/simulate.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/terminal/options.h"
#include "cli/terminal/output.h"
#include "codec/documents/form_reader.h"
#include "codec/documents/json.h"
#include "core/units/duration.h"
#include "kernel/files/files.h"
#include "kernel/files/line_reader.h"
#include "kernel/files/whole_file.h"
#include "sim/report/report_fields.h"
#include "sim/report/simulation_report.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".ndjson";

tl::unexpected<Error> Invalid(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message));
}

// What two shards differ in that are not of one fleet.
std::vector<std::string_view> DifferencesOf(const SimulationHead& a, const SimulationHead& b) {
  const std::pair<std::string_view, bool> parts[] = {
      {"the version", a.version == b.version},
      {"the options", a.options == b.options},
      {"the policies", a.policies == b.policies},
      {"the number of shards", a.shard.count == b.shard.count},
      {"the recordings", a.recordings == b.recordings && a.hash == b.hash}};
  std::vector<std::string_view> differences;
  for (const auto& [name, is_same] : parts) {
    if (!is_same) differences.push_back(name);
  }
  return differences;
}

// What these paths mean: files, and of folders those that end in .ndjson. Adds to `faults` a folder
// that cannot be read or has none.
std::vector<std::string> FilesOfShards(const std::vector<std::string>& paths,
                                       CommandFaults& faults) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) {
      files.push_back(path);
      continue;
    }
    const std::size_t others = files.size();
    const auto names = kernel::NamesIn(path);
    for (const std::string& name : names.value_or(std::vector<std::string>{})) {
      if (name.ends_with(kSuffix)) files.push_back((fs::path(path) / name).string());
    }
    if (!names) {
      faults.Add(names.error());
    } else if (files.size() == others) {
      faults.Add(fmt::format("{} has no file that ends in .ndjson", path));
    }
  }
  return files;
}

}  // namespace

Result<SimulationHead> ReadShardHead(std::string_view line) {
  const auto value = ParseJson(line, 0);
  if (!value) return Invalid(value.error().message);
  SimulationHead head;
  std::string kind;
  std::string version;
  FormReader fields(*value);
  fields("kind", kind);
  fields("apiVersion", version);
  VisitFields(fields, head);
  if (kind != kShardKind) return Invalid("this is no result of a shard");
  if (version != kSimulationApiVersion) {
    return Fail(ErrorCode::kUnavailable,
                fmt::format("the result is of apiVersion {}, which is not {}", version,
                            kSimulationApiVersion));
  }
  if (head.policies.empty() || !ParseShard(head.shard.Text())) {
    return Invalid("the result has no policy, or no such shard");
  }
  return head;
}

Result<SimulationReport> ReadShardNode(std::string_view line, const SimulationHead& head) {
  const auto value = ParseJson(line, 0);
  if (!value) return Invalid(value.error().message);
  SimulationReport report;
  FormReader fields(*value);
  VisitFields(fields, report);
  const std::string& node = report.facts.node;
  if (node.empty()) return Invalid("a line of the result names no node");
  if (!head.shard.Has(node)) {
    return Invalid(fmt::format("node {} is not of shard {}", node, head.shard.Text()));
  }
  if (report.outcomes.size() != (report.failure.empty() ? head.policies.size() : 0)) {
    return Invalid(fmt::format("node {} has other policies than the result", node));
  }
  Calibrate(report);
  return report;
}

namespace {

// The head of a result; its nodes are added to `nodes`.
Result<SimulationHead> ReadShard(const std::string& path, std::vector<SimulationReport>& nodes) {
  const std::unique_ptr<std::FILE, decltype(&std::fclose)> stream(std::fopen(path.c_str(), "re"),
                                                                  &std::fclose);
  const auto cannot = [&](std::string_view what) {
    return Fail(ErrorCode::kUnavailable,
                fmt::format("cannot {} {}: {}", what, path, std::strerror(errno)));
  };
  if (!stream) return cannot("open");
  LineReader lines(stream.get());
  const std::size_t others = nodes.size();
  std::optional<SimulationHead> head;
  while (const auto line = lines.Next()) {
    const std::string place = fmt::format("{}:{}", path, lines.line_number());
    if (lines.IsCutOff()) return Invalid(place + ": " + lines.TooLong());
    if (!head) {
      auto read = ReadShardHead(*line);
      if (!read) return Fail(read.error().In(place));
      head = *std::move(read);
      continue;
    }
    if (*line == ShardEnd(nodes.size() - others)) return *std::move(head);
    auto node = ReadShardNode(*line, *head);
    if (!node) return Fail(node.error().In(place));
    nodes.push_back(*std::move(node));
  }
  if (lines.Failed()) return cannot("read");
  return Invalid(path + ": the result is not complete");
}

}  // namespace

ShardSum SumOfShards(const std::vector<std::string>& files, CommandFaults& faults) {
  ShardSum sum;
  std::map<std::uint64_t, std::string> shards;  // where each is
  for (const std::string& each : files) {
    const auto head = ReadShard(each, sum.nodes);
    if (!head) {
      faults.Add(head.error());
      continue;
    }
    if (shards.empty()) sum.head = *head;
    const auto [known, is_new] = shards.emplace(head->shard.index, each);
    if (!is_new) {
      faults.Add(
          fmt::format("{} and {} both have shard {}", known->second, each, head->shard.Text()));
    }
    if (const auto differences = DifferencesOf(sum.head, *head); !differences.empty()) {
      faults.Add(fmt::format("{} belongs to another fleet than the first result: {} differ", each,
                             fmt::join(differences, ", ")));
    }
  }
  std::vector<std::uint64_t> missing;
  for (std::uint64_t i = 0; !shards.empty() && i < sum.head.shard.count; ++i) {
    if (!shards.contains(i)) missing.push_back(i);
  }
  if (!missing.empty()) {
    constexpr std::size_t kMostTold = 50;
    const std::size_t count = missing.size();
    missing.resize(std::min(kMostTold, count));
    faults.Add(fmt::format("{} of {} shards are missing: {}{}", count, sum.head.shard.count,
                           fmt::join(missing, " "), missing.size() < count ? " ..." : ""));
  }
  sum.head.shard = {};  // how the nodes were divided is not part of the result
  std::ranges::sort(sum.nodes, {}, [](const SimulationReport& node) { return node.facts.node; });
  return sum;
}

namespace {

struct SimulateOptions {
  std::vector<std::string> recordings;
  CandidateOptions candidates;
  std::string every;
  bool thin_all = false;
  std::string output = "text";
  std::size_t show = 20;
  std::string html;
  std::string out;
  std::string shard;
  std::size_t jobs = 0;  // 0: as many as there are processors
  bool sum = false;
};

Result<Duration> EveryOf(const std::string& text) {
  if (text.empty()) return Duration{0};
  const auto every = ParseDuration(text);
  if (every && *every >= Duration{0}) return *every;
  return Fail(
      ErrorCode::kInvalidArgument,
      fmt::format("--every {}: must be a duration, 0s or more (10s, 1m), at most 292 years", text));
}

// What of the command line decides how nodes are simulated, policies aside.
std::vector<NamedSetting> SettingsOf(const SimulateOptions& options, const RecordingRun& run) {
  const auto or_recorded = [](const std::optional<Duration>& duration) {
    return duration ? FormatDuration(*duration) : "recorded";
  };
  const WhatIfModel& model = run.candidates.model;
  return {{"evicted", options.candidates.evicted},
          {"every", FormatDuration(run.every)},
          {"thinned", run.thin_all ? "true" : "false"},
          {"evictionBackoff", or_recorded(model.backoff)},
          {"evictionMaxBackoff", or_recorded(model.max_backoff)},
          {"monitoringInterval", or_recorded(model.monitoring_interval)}};
}

// Writes the result to a file, whole or not at all, or to standard output. The exit status.
int WriteResult(const SimulateOptions& options, const std::string& path, const SimulationHead& head,
                const std::vector<SimulationReport>& nodes) {
  const bool is_text = options.shard.empty() && options.output == "text";
  const std::string result = is_text                   ? SimulationText(head, nodes, options.show)
                             : !options.shard.empty()  ? ShardText(head, nodes)
                             : options.output == "csv" ? SimulationCsv(nodes)
                                                       : SimulationJson(head, nodes);
  if (path.empty() || path == "-") return is_text ? PrintText(result) : PrintData(result);
  const auto written = WriteWholeFile(path, is_text ? PrintableLines(result) : result);
  return written ? 0 : Report(written.error());
}

// The file that --out means.
std::string OutPathOf(const SimulateOptions& options, const FleetShard& shard) {
  std::error_code ignored;
  if (options.shard.empty()) return options.out;
  if (!options.out.ends_with('/') && !std::filesystem::is_directory(options.out, ignored)) {
    return options.out;
  }
  const std::string name = fmt::format("shard-{:05}-of-{:05}.ndjson", shard.index, shard.count);
  return (std::filesystem::path(options.out) / name).string();
}

// Options that do not go together.
void CheckOptions(const SimulateOptions& options, CommandFaults& faults) {
  const bool has_page = !options.html.empty() || !options.candidates.against.empty();
  if (!options.shard.empty() && (has_page || options.output != "text")) {
    faults.Add(
        "--shard writes lines for --sum: it cannot be used with --output, --html, --against");
  }
  if (!options.candidates.against.empty() && options.output == "csv") {
    faults.Add("--against has no table: it cannot be used with --output csv");
  }
  const CandidateOptions& tried = options.candidates;
  const bool simulates = !tried.policy_files.empty() || !tried.sweeps.empty() ||
                         tried.evicted != "auto" || !options.every.empty() || options.thin_all ||
                         has_page || !options.shard.empty() || options.jobs > 0;
  if (options.sum && simulates) {
    faults.Add(
        "--sum adds up what was simulated: beside it only --output, --show and --out can be used");
  }
}

// Makes room for the output, unless it would destroy what is read.
int PrepareOutput(const SimulateOptions& options, const std::string& path,
                  const std::vector<std::string>& inputs) {
  CommandFaults faults;
  CheckOutputs(path, options.html, inputs, faults);
  if (faults.status() != 0) return faults.status();
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code failed;
  if (!folder.empty()) std::filesystem::create_directories(folder, failed);
  if (failed) PrintError("jettison: cannot make {}: {}\n", folder.string(), failed.message());
  return failed ? kExitFailed : 0;
}

int RunSum(const SimulateOptions& options) {
  CommandFaults faults;
  const std::vector<std::string> files = FilesOfShards(options.recordings, faults);
  if (const int failed = PrepareOutput(options, options.out, files); failed != 0) return failed;
  const ShardSum sum = SumOfShards(files, faults);
  if (faults.status() != 0) return kExitFailed;
  const int written = WriteResult(options, options.out, sum.head, sum.nodes);
  const auto damaged = std::ranges::count_if(sum.nodes, &SimulationReport::IsDamaged);
  if (written != 0) return written;
  if (damaged == 0) return 0;
  PrintError("jettison: recordings of {} nodes are damaged; the result names them\n", damaged);
  return kExitInvalidInput;
}

int RunSimulate(const SimulateOptions& options) {
  CommandFaults faults;
  CheckOptions(options, faults);
  if (options.sum) return faults.status() != 0 ? faults.status() : RunSum(options);
  const auto shard = faults.Take(ParseShard(options.shard.empty() ? "0/1" : options.shard));
  const RecordingRun run{.candidates = ReadCandidates(options.candidates, faults),
                         .every = faults.Take(EveryOf(options.every)),
                         .thin_all = options.thin_all,
                         .more = {},
                         .courses = !options.html.empty(),
                         .jobs = options.jobs};
  const std::vector<FleetFile> files = FindRecordings(options.recordings, faults);
  if (faults.status() != 0) return faults.status();
  const std::vector<FleetNodeFiles> nodes = NodesOfShard(files, shard);
  if (!options.candidates.against.empty() && nodes.size() != 1) {
    PrintError("jettison: --against compares policies on one node; the recordings have {}\n",
               nodes.size());
    return kExitInvalidInput;
  }
  std::vector<std::string> inputs = options.candidates.policy_files;
  std::ranges::transform(files, std::back_inserter(inputs), &FleetFile::path);
  const std::string out = OutPathOf(options, shard);
  if (const int failed = PrepareOutput(options, out, inputs); failed != 0) return failed;

  const SimulationHead head{.version = JETTISON_VERSION,
                            .options = SettingsOf(options, run),
                            .policies = PoliciesOf(run.candidates),
                            .shard = shard,
                            .recordings = files.size(),
                            .hash = HashOfFiles(files)};
  SimulatedNodes simulated = SimulateNodes(run, nodes);
  std::vector<SimulationReport>& reports = simulated.reports;
  if (!options.candidates.against.empty())
    Compare(options.candidates.against, run.candidates, reports.front());
  if (const int failed = WriteResult(options, out, head, reports); failed != 0) return failed;
  std::erase_if(reports, [](const SimulationReport& each) { return !each.facts.from; });
  if (options.html.empty() || reports.empty()) return simulated.status;
  const auto page = WriteReportPage(options.html, reports);
  return page ? simulated.status : Report(page.error());
}

constexpr const char* kFooter =
    "RECORDING is what `jettison record` writes, the lines that /api/v1/cycles answers, or "
    "scenarios\n"
    "as `jettison replay` takes them; or a folder, whose files that end in .jtr, .ndjson or "
    ".jsonl\n"
    "are read; - reads standard input. Recordings of one node are read as one. FILE holds\n"
    "KubeletConfiguration and JettisonConfiguration documents, as check-config reads them; each\n"
    "file is a policy. A sweep is KEY=FROM..TO/COUNT or KEY=VALUE,VALUE with evictionHard.SIGNAL,\n"
    "evictionSoft.SIGNAL, evictionSoftGracePeriod.SIGNAL, evictionMinimumReclaim.SIGNAL,\n"
    "evictionPressureTransitionPeriod or evictionMaxPodGracePeriod; several sweeps make a grid.\n"
    "The output begins with how well the evictions of the policy that was in force are found from\n"
    "samples alone, followed by that policy.\n"
    "\n"
    "--against tells where the policies evict other pods, or at other times, than what "
    "happened,\n"
    "than the policy in force as it is simulated (in-force), or than another policy.\n"
    "\n"
    "--shard simulates a share of the nodes and writes a line for each; --sum adds up those of "
    "all\n"
    "shards. The result is the same, byte for byte, however many shards there were.\n"
    "\n"
    "Examples:\n"
    "  jettison simulate node.jtr --policy kubelet.yaml\n"
    "  jettison simulate node.jtr --sweep 'evictionHard.memory.available=50Mi..1Gi/16'\n"
    "  jettison simulate node.jtr --every 30s --against what-happened\n"
    "  jettison simulate recordings/ --policy new.yaml --output json | jq .totals\n"
    "  jettison simulate node.jtr --policy new.yaml --html report.html\n"
    "  jettison simulate recordings/ --policy new.yaml --shard 3/16 --out results/\n"
    "  jettison simulate --sum results/\n"
    "\n"
    "Exit status: 0 done, 1 a file could not be read or written, 2 an invalid record or wrong "
    "usage.";

}  // namespace

void AddSimulate(CLI::App& app, int& exit_code) {
  const auto [command, options] =
      AddCommand(app, exit_code, "simulate", "Say what policies would have done to recorded nodes",
                 kFooter, RunSimulate);
  command.add_option("RECORDING", options.recordings, "recordings, or folders of recordings")
      ->type_name("PATH")
      ->required();
  AddCandidateOptions(command, options.candidates);
  command
      .add_option("--every", options.every,
                  "calibrate with samples that are at least this far apart (30s)")
      ->type_name("DURATION");
  command.add_flag("--thinned", options.thin_all,
                   "simulate only from the samples of the calibration");
  command
      .add_option("--against", options.candidates.against,
                  "tell differences from what-happened, in-force, or a policy")
      ->type_name("FILE");
  command
      .add_option("--output", options.output, "text, json, or csv: a row for each node and policy")
      ->check(CLI::IsMember({"text", "json", "csv"}))
      ->capture_default_str();
  command
      .add_option("--show", options.show,
                  "how many evictions of each policy, or how many nodes, to show in text")
      ->capture_default_str();
  command
      .add_option("--out", options.out,
                  "write the result to this file, whole or not at all; - is standard output.\n"
                  "With --shard also a folder")
      ->type_name("PATH");
  AddReportOption(command, options.html);
  command
      .add_option("--shard", options.shard,
                  "simulate only this share of the nodes, 0/16, and write lines for --sum")
      ->type_name("INDEX/COUNT");
  command
      .add_option("--jobs", options.jobs,
                  "how many nodes to simulate at once (default: the number of processors)")
      ->check(CLI::Range(1, 4096));
  command.add_flag("--sum", options.sum,
                   "add up the results of shards, which RECORDING then names (or folders of them)");
}

}  // namespace jettison
