#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/simulate/run_recording.h"
#include "cli/simulate/simulate.h"
#include "cli/terminal/command_faults.h"
#include "cli/terminal/exit_status.h"
#include "cli/terminal/number_option.h"
#include "cli/terminal/output.h"
#include "core/evaluate/evaluate.h"
#include "core/text/spelling.h"

namespace jettison {
namespace {

constexpr const char* kRecorded = "recorded";
constexpr const char* kInForce = "in-force";

struct DiffOptions {
  std::string recording;
  std::string a;
  std::string b;
  std::string output = "text";
  std::size_t explained = 5;
};

// What really was, as evictions whose time is known.
std::vector<SimulatedEviction> Recorded(const RecordingFacts& facts) {
  std::vector<SimulatedEviction> evictions;
  for (const RecordedFact& fact : facts.evictions) {
    SimulatedEviction& eviction = evictions.emplace_back();
    eviction.uid = fact.uid;
    eviction.pod = fact.pod;
    eviction.when = {fact.at, fact.at, fact.at};
    eviction.signal = fact.signal;
    eviction.limit = fact.limit;
    eviction.as_recorded = true;
    eviction.pass = fact.pass;
    const auto& acted = fact.pass ? fact.pass->report.acting_for : std::nullopt;
    if (!acted) continue;
    eviction.soft = !acted->IsHard();
    if (const auto& seen = fact.pass->report.observations[acted->signal]) {
      eviction.available = seen->available;
      eviction.line = QuantityOf(acted->value, seen->capacity).Value();
    }
  }
  return evictions;
}

bool IsFile(const std::string& side) {
  return side != kRecorded && side != kInForce;
}

// What is wrong with a side that is no file, and was probably meant to be one of the two words.
std::string FaultOfSide(const std::string& side) {
  constexpr std::array<std::string_view, 2> kWords = {kInForce, kRecorded};
  std::error_code ignored;
  if (!IsFile(side) || std::filesystem::exists(side, ignored)) return "";
  const std::string meant = DidYouMean(side, kWords);
  return meant.empty() ? "" : fmt::format("{}: there is no such file{}", side, meant);
}

// The first outcome is that of the policy in force; the files follow in their order.
std::vector<SimulatedEviction> SideOf(const SimulationReport& report, const std::string& side,
                                      std::size_t& next_file) {
  if (side == kRecorded) return Recorded(report.facts);
  if (side == kInForce) return report.outcomes.front().evictions;
  return report.outcomes[++next_file].evictions;
}

int RunDiff(const DiffOptions& options) {
  CommandFaults faults;
  CandidateOptions files;
  for (const std::string* side : {&options.a, &options.b}) {
    const std::string fault = FaultOfSide(*side);
    faults.Add(fault);
    if (fault.empty() && IsFile(*side)) files.policy_files.push_back(*side);
  }
  const CandidateForms candidates = faults.Take(ReadCandidates(files));
  if (faults.status() != 0) return faults.status();
  const auto read = RunOver({.path = options.recording,
                             .candidates = candidates,
                             .shows_progress = true,
                             .keep_passes = true});
  if (!read) {
    PrintError("jettison: {}\n", read.error().message);
    return ExitStatusOf(read.error());
  }
  for (const std::string& fault : read->faults) PrintError("jettison: {}\n", fault);
  std::size_t next_file = 0;
  DifferenceReport report{.recording = read->recording, .a_name = options.a, .b_name = options.b};
  report.a = SideOf(*read, options.a, next_file);
  report.b = SideOf(*read, options.b, next_file);
  const Duration reach = std::max<Duration>(read->facts.longest_step, std::chrono::seconds(10));
  report.pairs = PairsOf(report.a, report.b, reach);
  const int printed = options.output == "json"
                          ? PrintData(DifferenceJson(report))
                          : PrintText(DifferenceText(report, options.explained));
  return read->faults.empty() ? printed : kExitInvalidInput;
}

constexpr const char* kFooter =
    "A and B are each a policy (a file, as check-config reads it), in-force (a simulation of the\n"
    "policy that was in force) or recorded (what really happened). An eviction is a difference if\n"
    "only one of them has it, or if both have it at times that the bounds of neither allow.\n"
    "Evictions of a pod on both sides within a day count as the same eviction. Each difference is\n"
    "explained as `jettison explain` does it, from the pass that evicted the pod.\n"
    "\n"
    "Examples:\n"
    "  jettison diff node.ndjson in-force new.yaml\n"
    "  jettison diff node.ndjson recorded in-force\n"
    "  jettison diff node.ndjson old.yaml new.yaml --output json\n"
    "\n"
    "Exit status: 0 done, 1 a file could not be read, 2 an invalid record or wrong usage.";

}  // namespace

void AddDiff(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<DiffOptions>();
  CLI::App* command = app.add_subcommand(
      "diff", "Explain where two policies differ over a recording, or a policy and what happened");
  command->add_option("RECORDING", options->recording, "a recording; - reads standard input")
      ->type_name("FILE")
      ->required();
  command->add_option("A", options->a, "a policy, in-force or recorded")
      ->type_name("FILE")
      ->required();
  command->add_option("B", options->b, "a policy, in-force or recorded")
      ->type_name("FILE")
      ->required();
  command->add_option("--explain", options->explained, "how many differences to explain in text")
      ->check(WholeNumber(0, kMostCounted))
      ->capture_default_str();
  command->add_option("--output", options->output, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->footer(kFooter);
  command->callback([options, &exit_code] { exit_code = RunDiff(*options); });
}

}  // namespace jettison
