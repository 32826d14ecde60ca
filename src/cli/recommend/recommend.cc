#include "cli/recommend/recommend.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "cli/report_page/report_page.h"
#include "cli/simulate/node_source.h"
#include "cli/simulate/simulate.h"
#include "cli/terminal/options.h"
#include "cli/terminal/output.h"
#include "kernel/files/whole_file.h"

namespace jettison {
namespace {

struct RecommendOptions {
  std::vector<std::string> recordings;
  CandidateOptions candidates;
  std::string prices;
  CostLimits limits;
  std::string output = "text";
  std::string out;
  std::string html;
  std::size_t show = 20;
};

void Complain(const std::string& fault) {
  PrintError("jettison: {}\n", fault);
}

// Every file that is read. A recording that cannot be found is told of when it is looked for.
std::vector<std::string> InputsOf(const RecommendOptions& options) {
  std::vector<std::string> inputs = options.candidates.policy_files;
  const auto files = FindRecordings(options.recordings);
  if (!files) inputs.insert(inputs.end(), options.recordings.begin(), options.recordings.end());
  if (files) std::ranges::transform(*files, std::back_inserter(inputs), &FleetFile::path);
  return inputs;
}

SearchRun RunFor(const RecommendOptions& options, CommandFaults& faults) {
  SearchRun run{
      .paths = options.recordings, .candidates = {}, .prices = {}, .limits = options.limits};
  run.prices = faults.Take(ParsePrices(options.prices));
  run.candidates = faults.Take(ReadCandidates(options.candidates));
  if (const auto page = HasReportPage(); !options.html.empty() && !page) {
    faults.Add(page.error().message);
  }
  if (options.out.empty() && options.html.empty()) return run;
  faults.Add(
      WhyDataWouldBeLost({{"--out", options.out}, {"--html", options.html}}, InputsOf(options)));
  return run;
}

int Print(const RecommendOptions& options, const Found& found) {
  if (options.output == "json") {
    return PrintData(RecommendationJson(found.recommendation, found.reports));
  }
  if (options.output == "yaml") return PrintData(found.recommendation.configuration);
  return PrintText(RecommendationText(found.recommendation, found.reports, options.show));
}

// The files that were asked for beside what is printed.
int WriteFiles(const RecommendOptions& options, const Found& found) {
  const auto status_of = [](const Result<void>& written) {
    if (!written) Complain(written.error().message);
    return written ? 0 : kExitFailed;
  };
  int status = 0;
  if (!options.out.empty()) {
    status |= status_of(WriteWholeFile(options.out, found.recommendation.configuration));
  }
  if (options.html.empty()) return status;
  return status |
         status_of(WriteReportPage(options.html, {.reports = found.reports,
                                                  .courses = found.courses,
                                                  .recommendation = &found.recommendation}));
}

int RunRecommend(const RecommendOptions& options) {
  CommandFaults faults;
  const SearchRun run = RunFor(options, faults);
  if (faults.status() != 0) return faults.status();
  const Found found = Search(run);
  if (found.reports.empty()) return std::max(found.status, kExitFailed);
  // Who asks for the configuration alone does not read the answer that says it.
  if (options.output == "yaml" || !options.out.empty()) {
    for (const std::string& sentence : CautionSentences(found.recommendation)) Complain(sentence);
  }
  const int written = WriteFiles(options, found);
  return std::max({found.status, written, Print(options, found)});
}

constexpr const char* kFooter =
    "RECORDING is a file that `jettison simulate` takes, or a folder of such files; - reads\n"
    "standard input, once. The costs of all nodes are added up, and one policy is chosen for all\n"
    "of them. Without --policy and --sweep, recommend tries a grid of thresholds on\n"
    "memory.available, grace periods and minimum reclaims around the policy that was in force,\n"
    "in one reading. The cost of a policy is that of its evictions, its OOM kills and the memory\n"
    "that it keeps free, at the given prices. The cheapest policy within the limits is\n"
    "recommended. If memory was never short, policies cannot be compared, and the policy that was\n"
    "in force is kept.\n"
    "\n"
    "Examples:\n"
    "  jettison recommend node.jtr\n"
    "  jettison recommend recordings/ --price eviction=5,idle-gib-hour=0.1\n"
    "  jettison recommend node.jtr --html report.html\n"
    "  jettison recommend node.jtr --max-oom-kills 0 --output yaml > kubelet.yaml\n"
    "  jettison recommend node.jtr --sweep 'evictionHard.memory.available=50Mi..1Gi/16'\n"
    "\n"
    "Exit status: 0 done, 1 a file could not be read, 2 an invalid record or wrong usage.";

}  // namespace

void AddRecommend(CLI::App& app, int& exit_code) {
  const auto [command, options] = AddCommand(
      app, exit_code, "recommend", "Propose thresholds for recorded nodes", kFooter, RunRecommend);
  command.add_option("RECORDING", options.recordings, "recordings, or folders of recordings")
      ->type_name("PATH")
      ->required();
  command
      .add_option("--price", options.prices,
                  "what each kind of harm costs:\neviction=1,oom=10,idle-gib-hour=0.01")
      ->type_name("NAME=NUMBER,...");
  CostLimits& limits = options.limits;
  command.add_option("--max-evictions", limits.evictions, "reject policies with more evictions")
      ->check(WholeNumber(0, kMostCounted))
      ->type_name("COUNT");
  command.add_option("--max-oom-kills", limits.oom_kills, "reject policies with more OOM kills")
      ->check(WholeNumber(0, kMostCounted))
      ->type_name("COUNT");
  command
      .add_option("--max-idle-gib-hours", limits.idle_gib_hours,
                  "reject policies that keep more memory free")
      ->check(Number(0, kMostCounted))
      ->type_name("NUMBER");
  AddCandidateOptions(command, options.candidates);
  command.add_option("--show", options.show, "how many evictions of each node to show in text")
      ->check(WholeNumber(0, kMostCounted))
      ->capture_default_str();
  command
      .add_option("--output", options.output,
                  "text, json, or yaml (only the recommended configuration)")
      ->check(CLI::IsMember({"text", "json", "yaml"}))
      ->capture_default_str();
  command.add_option("--out", options.out, "also write that configuration to this file")
      ->check(NotStandardOutput)
      ->type_name("FILE");
  AddReportOption(command, options.html);
}

}  // namespace jettison
