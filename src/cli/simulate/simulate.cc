#include "cli/simulate/simulate.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/fleet/work_threads.h"
#include "cli/report_page/report_files.h"
#include "cli/report_page/report_options.h"
#include "cli/simulate/run_recording.h"
#include "cli/simulate/simulate_shard.h"
#include "cli/terminal/command_faults.h"
#include "cli/terminal/exit_status.h"
#include "cli/terminal/number_option.h"
#include "cli/terminal/output.h"
#include "cli/terminal/output_path.h"
#include "core/units/duration.h"
#include "sim/series/node_courses.h"

namespace jettison {
namespace {

struct SimulateOptions {
  std::vector<std::string> recordings;
  CandidateOptions candidates;
  std::string evicted = "auto";
  std::string every;
  std::string output = "text";
  bool names_output = false;  // on the command line
  std::size_t show = 20;
  bool without_peaks = false;
  bool with_end_times = false;
  bool thin_all = false;
  std::string html;
  // Of parts.
  std::string shard;
  std::string out;
  std::size_t jobs = 0;  // 0: as many as there are processors
};

Result<Duration> EveryOf(const std::string& text) {
  if (text.empty()) return Duration{0};
  const auto every = ParseDuration(text);
  if (every && *every >= Duration{0}) return *every;
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("--every {}: {}", text,
                          WhyNoDuration(text, "must be a duration, 0s or more (10s, 1m)")));
}

// How each recording is simulated.
RecordingRun RunFor(const SimulateOptions& options, CommandFaults& faults) {
  RecordingRun run{.path = "",
                   .candidates = {},
                   .after_eviction = AfterEvictionNamed(options.evicted),
                   .without_peaks = options.without_peaks,
                   .with_end_times = options.with_end_times,
                   .thin_all = options.thin_all};
  run.every = faults.Take(EveryOf(options.every));
  run.candidates = faults.Take(ReadCandidates(options.candidates));
  return run;
}

// What was found in the recordings, and the courses of their signals where they are shown.
struct AllReports {
  std::vector<SimulationReport> reports;
  std::vector<NodeCourses> courses;
};

bool HasReport(const SimulateOptions& options) {
  return !options.html.empty();
}

// All recordings one after the other; what is wrong with one does not keep the others from being
// looked at.
int ReadAll(const SimulateOptions& options, RecordingRun run, AllReports& all) {
  run.shows_progress = true;
  int status = 0;
  for (const std::string& path : options.recordings) {
    NodeCourses courses;
    run.path = path;
    if (HasReport(options)) run.onlooker = [&](const RecordedItem& item) { courses.Add(item); };
    auto report = RunOver(run);
    if (report) {
      for (const std::string& fault : report->faults) PrintError("jettison: {}\n", fault);
      if (!report->faults.empty()) status = kExitInvalidInput;
      all.reports.push_back(std::move(*report));
      all.courses.push_back(std::move(courses));
      continue;
    }
    PrintError("jettison: {}\n", report.error().message);
    if (report.error().cause == RunFailure::Cause::kUsage) return kExitInvalidInput;
    status = std::max(status, ExitStatusOf(report.error()));
  }
  return status;
}

const char* YesOrNo(bool value) {
  return value ? "true" : "false";
}

// What of the command line decides how a fleet is simulated, policies aside.
std::vector<FleetOption> OptionsForManifest(const SimulateOptions& options, Duration every,
                                            const WhatIfModel& model) {
  return {{"evicted", options.evicted},
          {"every", FormatDuration(every)},
          {"withoutPeaks", YesOrNo(options.without_peaks)},
          {"withEndTimes", YesOrNo(options.with_end_times)},
          {"thinned", YesOrNo(options.thin_all)},
          {"evictionBackoff", FormatDuration(model.backoff)},
          {"evictionMaxBackoff", FormatDuration(model.max_backoff)},
          {"monitoringInterval", FormatDuration(model.monitoring_interval)}};
}

bool WritesPart(const SimulateOptions& options) {
  return !options.shard.empty() || options.output == "part";
}

int RunShard(const SimulateOptions& options) {
  CommandFaults faults;
  if (options.names_output && options.output != "part") {
    faults.Add(
        fmt::format("--shard writes a part, so --output must be part, not {}", options.output));
  }
  if (HasReport(options)) faults.Add("--html cannot be used with --output part");
  const auto shard = faults.Take(ParseShard(options.shard.empty() ? "0/1" : options.shard));
  if (options.out.empty()) {
    faults.Add("--out is missing: it names the file or folder for the part");
  }
  const RecordingRun run = RunFor(options, faults);
  if (faults.status() != 0) return faults.status();
  return SimulateShard({.paths = options.recordings,
                        .policy_files = options.candidates.policy_files,
                        .run = run,
                        .shard = shard,
                        .options = OptionsForManifest(options, run.every, run.candidates.model),
                        .out = options.out,
                        .jobs = options.jobs == 0 ? ProcessorsAvailable() : options.jobs});
}

int Tell(const Result<void>& written) {
  if (!written) PrintError("jettison: {}\n", written.error().message);
  return written ? 0 : 1;
}

// The report of the recordings that hold something.
int WriteFiles(const SimulateOptions& options, const AllReports& all) {
  AllReports shown;
  for (std::size_t i = 0; HasReport(options) && i < all.reports.size(); ++i) {
    if (!all.reports[i].facts.from) continue;
    shown.reports.push_back(all.reports[i]);
    shown.courses.push_back(all.courses[i]);
  }
  if (shown.reports.empty()) return 0;
  return Tell(WriteReportPage(options.html, {.reports = shown.reports, .courses = shown.courses}));
}

std::vector<std::string> InputsOf(const SimulateOptions& options) {
  std::vector<std::string> inputs = options.recordings;
  inputs.insert(inputs.end(), options.candidates.policy_files.begin(),
                options.candidates.policy_files.end());
  return inputs;
}

void CheckOutputs(const SimulateOptions& options, CommandFaults& faults) {
  faults.Add(WhyInputWouldBeLost({{"--html", options.html}}, InputsOf(options)));
  if (const auto page = HasReportPage(); !options.html.empty() && !page) {
    faults.Add(page.error().message);
  }
  if (!options.out.empty() || options.jobs != 0) {
    faults.Add("--out and --jobs need --output part");
  }
}

int RunSimulate(const SimulateOptions& options) {
  if (WritesPart(options)) return RunShard(options);
  CommandFaults faults;
  CheckOutputs(options, faults);
  const RecordingRun run = RunFor(options, faults);
  if (faults.status() != 0) return faults.status();
  AllReports all;
  int status = ReadAll(options, run, all);
  const std::vector<SimulationReport>& reports = all.reports;
  if (reports.empty()) return status;
  status = std::max(status, WriteFiles(options, all));
  std::string text;
  if (options.output == "json") {
    text = SimulationJson(reports);
  } else if (options.output == "csv") {
    text = SimulationCsv(reports);
  } else {
    text = SimulationText(reports, {.most_evictions = options.show});
  }
  const int printed = options.output == "text" ? PrintText(text) : PrintData(text);
  return status != 0 ? status : printed;
}

int RunCalibrate(const SimulateOptions& options) {
  CommandFaults faults;
  const RecordingRun run = RunFor(options, faults);
  if (faults.status() != 0) return faults.status();
  AllReports all;
  const int status = ReadAll(options, run, all);
  const std::vector<SimulationReport>& reports = all.reports;
  if (reports.empty()) return status;
  std::string text;
  if (options.output == "json") {
    text = CalibrationJson(reports);
  } else {
    for (const SimulationReport& report : reports) {
      if (!text.empty()) text += "\n";
      text += CalibrationText(report);
    }
  }
  const int printed = options.output == "text" ? PrintText(text) : PrintData(text);
  return status != 0 ? status : printed;
}

constexpr std::uint64_t kMostJobs = 4096;

constexpr const char* kSimulateFooter =
    "RECORDING is what `jettison record` writes, the lines that /api/v1/cycles answers, or "
    "scenarios\n"
    "as `jettison replay` takes them; - reads standard input. FILE holds KubeletConfiguration and\n"
    "JettisonConfiguration documents, as check-config reads them; each file is a policy. A sweep\n"
    "is KEY=FROM..TO/COUNT or KEY=VALUE,VALUE with evictionHard.SIGNAL, evictionSoft.SIGNAL,\n"
    "evictionSoftGracePeriod.SIGNAL, evictionMinimumReclaim.SIGNAL,\n"
    "evictionPressureTransitionPeriod or evictionMaxPodGracePeriod; several sweeps make a grid.\n"
    "The output begins with how well the evictions of the policy that was in force are found from\n"
    "samples alone, followed by that policy.\n"
    "\n"
    "Examples:\n"
    "  jettison simulate node.ndjson --policy kubelet.yaml\n"
    "  jettison simulate node.ndjson --sweep 'evictionHard.memory.available=50Mi..1Gi/16'\n"
    "  jettison simulate *.ndjson --policy new.yaml --output csv > costs.csv\n"
    "  jettison simulate node.ndjson --policy new.yaml --html report.html\n"
    "\n"
    "Exit status: 0 done, 1 a file could not be read, 2 an invalid record or wrong usage.";

constexpr const char* kCalibrateFooter =
    "calibrate simulates the policy that was in force from samples alone: what it did, and the\n"
    "passes that it made because memory was short, are hidden from the simulation. Then the\n"
    "simulated evictions are compared with the recorded ones: how many were found, how many are\n"
    "false, how far their times are off, and how many of the true times lie within the stated\n"
    "bounds. --every shows the result with fewer samples.\n"
    "\n"
    "Examples:\n"
    "  jettison calibrate node.ndjson\n"
    "  jettison calibrate node.ndjson --every 30s\n"
    "\n"
    "Exit status: 0 done, 1 a recording could not be read, 2 an invalid record or wrong usage.";

void AddCommonOptions(CLI::App& command, SimulateOptions& options) {
  command.add_option("RECORDING", options.recordings, "recordings; - reads standard input")
      ->type_name("FILE")
      ->required();
  command
      .add_option("--every", options.every,
                  "calibrate with samples that are at least this far apart (30s)")
      ->type_name("DURATION");
  command.add_flag("--without-peaks", options.without_peaks,
                   "calibrate without what is known about the time between samples");
  command.add_flag("--with-end-times", options.with_end_times,
                   "calibrate with the times at which pods ended, from container statuses");
}

}  // namespace

void AddSimulate(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<SimulateOptions>();
  CLI::App* command =
      app.add_subcommand("simulate", "Say what policies would have done to a recorded node");
  AddCommonOptions(*command, *options);
  AddCandidateOptions(*command, options->candidates, options->evicted);
  command->add_flag("--thinned", options->thin_all,
                    "simulate only from the samples of the calibration");
  command->add_option("--show", options->show, "how many evictions of each policy to show in text")
      ->check(WholeNumber(0, kMostCounted))
      ->capture_default_str();
  command
      ->add_option(
          "--output", options->output,
          "text, json, csv, or part (for `jettison merge`; RECORDING may then be a folder)")
      ->check(CLI::IsMember({"text", "json", "csv", "part"}))
      ->capture_default_str();
  AddReportOption(*command, options->html);
  command
      ->add_option("--shard", options->shard,
                   "write a part with this share of the nodes of the fleet: 0/16")
      ->type_name("INDEX/COUNT");
  command
      ->add_option("--out", options->out,
                   "the file, or the folder, to write a part to; - is standard output")
      ->type_name("PATH");
  command
      ->add_option(
          "--jobs", options->jobs,
          "how many nodes of a part to simulate at once (default: the number of processors)")
      ->check(WholeNumber(1, kMostJobs));
  command->footer(kSimulateFooter);
  command->callback([command, options, &exit_code] {
    options->names_output = command->count("--output") > 0;
    exit_code = RunSimulate(*options);
  });
}

void AddCalibrate(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<SimulateOptions>();
  CLI::App* command = app.add_subcommand(
      "calibrate", "Say how well a simulation finds the evictions in a recording");
  AddCommonOptions(*command, *options);
  command->add_option("--output", options->output, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->footer(kCalibrateFooter);
  command->callback([options, &exit_code] { exit_code = RunCalibrate(*options); });
}

}  // namespace jettison
