#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/simulate/simulate.h"
#include "cli/terminal/options.h"
#include "cli/terminal/output.h"
#include "codec/recordings/scenario_policy.h"
#include "core/text/printable.h"
#include "sim/page/page_data.h"
#include "sim/recommend/recommendation.h"

namespace jettison {
namespace {

struct RecommendOptions {
  std::vector<std::string> recordings;
  CandidateOptions candidates;
  std::string prices;
  std::string output = "text";
  std::string html;
  std::size_t show = 20;
};

// The first pass of a node that observed its memory.
std::shared_ptr<const RecordedPass> FirstPassOf(const FleetNodeFiles& files) {
  NodeSource source(files);
  while (const auto item = source.Next()) {
    const auto* pass = std::get_if<std::shared_ptr<const RecordedPass>>(&*item);
    if (pass != nullptr && (*pass)->report.observations[Signal::kMemoryAvailable]) return *pass;
  }
  return nullptr;
}

// The grid that every node is tried with: around the policy that the first node begins with, within
// the memory of the smallest node.
std::function<std::vector<CandidatePolicy>(const RecordedPass&)> GridFor(
    const std::vector<FleetNodeFiles>& nodes) {
  if (nodes.front().files.front().is_stream) {
    // One node, whose first pass is known when it is read.
    return [](const RecordedPass& first) {
      const auto& memory = first.report.observations[Signal::kMemoryAvailable];
      return GridAround(*first.policy, memory ? memory->capacity : 0);
    };
  }
  std::shared_ptr<const RecordedPass> first;
  std::int64_t least = 0;
  for (const FleetNodeFiles& node : nodes) {
    const auto pass = FirstPassOf(node);
    if (pass == nullptr) continue;
    const std::int64_t capacity = pass->report.observations[Signal::kMemoryAvailable]->capacity;
    least = first == nullptr ? capacity : std::min(least, capacity);
    if (first == nullptr) first = pass;
  }
  if (first == nullptr) return {};
  return
      [grid = GridAround(*first->policy, least)](const RecordedPass& /*of_node*/) { return grid; };
}

// How far a price may be off: by as many evictions as the calibration has too many or too few over
// all nodes, and at least by half of one.
double ErrorOf(const Calibration& calibration, const Prices& prices) {
  const double off =
      static_cast<double>(calibration.said) - static_cast<double>(calibration.truths);
  constexpr double kLeast = 0.5;
  return std::max(std::abs(off), kLeast) * prices.eviction;
}

std::optional<Recommendation::Least> LeastOf(const std::vector<SimulationReport>& reports) {
  std::optional<Recommendation::Least> least;
  for (const SimulationReport& report : reports) {
    const SignalCourse& memory = (*report.courses)[Signal::kMemoryAvailable];
    if (memory.empty()) continue;
    const std::int64_t available = memory.extremes().least;
    if (least && available >= least->available) continue;
    least = Recommendation::Least{.node = report.facts.node,
                                  .available = available,
                                  .capacity = report.courses->CapacityOf(Signal::kMemoryAvailable)};
  }
  return least;
}

// Names of nodes in it come from others, and could end the comment.
std::string CommentOf(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += "# " + Printable(sentence) + "\n";
  return text;
}

void TakeConfiguration(const std::vector<SimulationReport>& reports, Recommendation& all) {
  const std::size_t chosen = all.choice.chosen;
  const SimulationReport& first = reports.front();
  all.configuration = ConfigurationYaml(first.policies[chosen]);
  for (const SimulationReport& each : reports) {
    if (ConfigurationYaml(each.policies[chosen]) == all.configuration) continue;
    all.notes.push_back(fmt::format(
        "The nodes have different settings: those of {} differ from those of {}. The "
        "configuration has the settings of the latter, and the values that were varied.",
        each.facts.node, first.facts.node));
    break;
  }
  all.configuration = CommentOf(CautionSentences(all)) + all.configuration;
}

// Chooses among the policies that were simulated.
void Judge(const std::vector<SimulationReport>& reports, bool grid, Recommendation& all) {
  const std::vector<PolicyOutcome>& outcomes = reports.front().outcomes;
  const SimulationTotals totals = TotalsOf(reports, outcomes.size());
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    all.tried.push_back({.name = outcomes[i].name, .costs = totals.policies[i]});
  }
  all.error = ErrorOf(totals.calibration, all.prices);
  all.choice = Choose(totals.policies, all.prices, grid, all.error);
  all.least = LeastOf(reports);
  TakeConfiguration(reports, all);
}

// Prints the answer, and writes the page that was asked for beside it. The exit status.
int Write(const RecommendOptions& options, const std::vector<SimulationReport>& reports,
          const Recommendation& all) {
  // Who asks for the configuration alone does not read the answer that says it.
  if (options.output == "yaml") {
    for (const std::string& sentence : CautionSentences(all)) {
      PrintError("jettison: {}\n", sentence);
    }
  }
  int status = 0;
  if (!options.html.empty()) {
    const auto written = WriteReportPage(options.html, reports, &all);
    if (!written) status = Report(written.error());
  }
  const int printed = options.output == "json" ? PrintData(RecommendationJson(all, reports))
                      : options.output == "yaml"
                          ? PrintData(all.configuration)
                          : PrintText(RecommendationText(all, reports, options.show));
  return std::max(status, printed);
}

int RunRecommend(const RecommendOptions& options) {
  CommandFaults faults;
  Recommendation all;
  all.prices = faults.Take(ParsePrices(options.prices));
  RecordingRun run{
      .candidates = ReadCandidates(options.candidates, faults), .more = {}, .courses = true};
  const std::vector<FleetFile> files = FindRecordings(options.recordings, faults);
  std::vector<std::string> inputs = options.candidates.policy_files;
  std::ranges::transform(files, std::back_inserter(inputs), &FleetFile::path);
  CheckOutputs("", options.html, inputs, faults);
  if (faults.status() != 0) return faults.status();
  const std::vector<FleetNodeFiles> nodes = NodesOfShard(files, {});
  const bool grid = run.candidates.tried.empty();
  if (grid) run.more = GridFor(nodes);
  SimulatedNodes simulated = SimulateNodes(run, nodes);
  std::vector<SimulationReport>& reports = simulated.reports;
  std::erase_if(reports, [](const SimulationReport& each) { return !each.facts.from; });
  if (reports.empty()) return std::max(simulated.status, kExitFailed);
  Judge(reports, grid, all);
  return std::max(simulated.status, Write(options, reports, all));
}

constexpr const char* kFooter =
    "RECORDING is a file that `jettison simulate` takes, or a folder of such files; - reads\n"
    "standard input, once. The costs of all nodes are added up, and one policy is chosen for all\n"
    "of them. Without --policy and --sweep, recommend tries a grid of thresholds on\n"
    "memory.available, grace periods and minimum reclaims around the policy that was in force,\n"
    "in one reading. The cost of a policy is that of its evictions, its OOM kills and the memory\n"
    "that it keeps free, at the given prices. The cheapest policy is recommended.\n"
    "If memory was never short, policies cannot be compared, and the policy that was\n"
    "in force is kept.\n"
    "\n"
    "Examples:\n"
    "  jettison recommend node.jtr\n"
    "  jettison recommend recordings/ --price eviction=5,idle-gib-hour=0.1\n"
    "  jettison recommend node.jtr --html report.html\n"
    "  jettison recommend node.jtr --price oom=1000 --output yaml > kubelet.yaml\n"
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
  AddCandidateOptions(command, options.candidates);
  command.add_option("--show", options.show, "how many evictions of each node to show in text")
      ->capture_default_str();
  command
      .add_option("--output", options.output,
                  "text, json, or yaml (only the recommended configuration)")
      ->check(CLI::IsMember({"text", "json", "yaml"}))
      ->capture_default_str();
  AddReportOption(command, options.html);
}

}  // namespace jettison
