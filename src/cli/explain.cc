#include "core/explain/explain.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <variant>

#include "agent/notify/eviction_history.h"
#include "cli/ask/ask_agent.h"
#include "cli/commands.h"
#include "cli/recording/recording_file.h"
#include "cli/terminal/options.h"
#include "cli/terminal/output.h"
#include "codec/flight/recording_writer.h"
#include "codec/recordings/scenario_reader.h"
#include "core/explanation/explanation_text.h"
#include "kernel/files/line_reader.h"
#include "sim/replay.h"

namespace jettison {
namespace {

struct RankOptions {
  AskOptions ask;
  std::string signal = "memory.available";
  std::string output = "text";
};

int RunRank(const RankOptions& options) {
  const std::string query = "?signal=" + EncodedForUrl(options.signal);
  return PrintAnswerOf(options.ask, "/api/v1/rank" + query + "&output=" + options.output,
                       options.output);
}

constexpr const char* kRankFooter =
    "Prints every pod in the order in which it would be evicted for the signal, with its usage\n"
    "and request, and with the field that decided between it and the next pod.\n"
    "\n"
    "Examples:\n"
    "  jettison rank --signal memory.available\n"
    "  jettison rank --signal nodefs.available --output json | jq -r '.pods[0].name'\n"
    "\n"
    "Exit status: 0 done, 1 the agent could not be asked or has no answer yet, 2 wrong usage.";

struct ExplainCommand {
  AskOptions ask;
  std::string target;  // a pod (namespace/name, name or UID) or an eviction; empty: now, or any
  std::string file;    // - is standard input; empty: the agent is asked
  std::string record;  // name of the record in it; empty: every one
  std::string output = "text";
};

// The line that a recording begins with, without its first byte.
constexpr std::string_view kMagicLine = kChunkMagic.substr(1, kChunkMagic.find('\n') - 1);

// What begins otherwise is read line by line, so that each line that is no scenario is named.
bool HasRecording(RecordingFile& file) {
  const std::string_view head = file.Head();
  return !file.has_scenarios() && (head.starts_with('{') || head.starts_with(kChunkMagic.front()) ||
                                   head.starts_with(kFormerChunkMagic.front()));
}

bool IsPod(const PodIdentity& pod, const std::string& wanted) {
  return wanted == pod.name || wanted == pod.FullName() || wanted == pod.uid;
}

// The pass, or with a pod that was named its eviction; nothing where it was not evicted in it.
std::optional<PassExplanation> ExplanationOf(const RecordedPass& pass, const std::string& pod) {
  PassExplanation explanation = Explain(pass);
  if (pod.empty()) return explanation;
  for (const EvictedPod& evicted : explanation.evicted) {
    if (IsPod(evicted.pod, pod)) return Explain(pass, {.subject_uid = evicted.pod.uid});
  }
  return std::nullopt;
}

bool DidNothing(const PassExplanation& explanation) {
  return explanation.outcome == PassOutcome::kNothing;
}

// Reads record after record and keeps what is to be printed.
class FileExplainer {
 public:
  FileExplainer(const ExplainCommand& options, std::FILE* stream)
      : options_(options), lines_(stream), faults_(options.file) {}

  int Run() {
    while (!is_recording_) {
      const auto line = lines_.Next();
      if (!line) break;
      if (lines_.IsCutOff()) {
        Complain(lines_.TooLong());
      } else if (!IsBlank(*line)) {
        One(*line);
      }
    }
    if (lines_.Failed()) {
      PrintError("jettison: cannot read {}: {}\n", options_.file, std::strerror(errno));
      return kExitFailed;
    }
    return Finish(faults_.Close());
  }

  // The same of a recording of an agent.
  int Run(RecordingSource& source) {
    bool has_faults = false;
    std::shared_ptr<const RecordedPass> last;
    for (;;) {
      const auto item = source.Next();
      if (!item) {
        has_faults = true;
        PrintError("jettison: {}: {}\n", options_.file, item.error().message);
        if (item.error().code != ErrorCode::kInvalidArgument) return kExitFailed;
        continue;
      }
      if (!*item) break;
      const auto* pass = std::get_if<std::shared_ptr<const RecordedPass>>(&**item);
      if (pass == nullptr || !options_.record.empty()) continue;
      last = *pass;
      const auto explanation = ExplanationOf(**pass, options_.target);
      if (explanation && !DidNothing(*explanation)) Print(*explanation);
    }
    if (explained_ == 0 && options_.target.empty() && last) Print(Explain(*last));
    return Finish(has_faults);
  }

 private:
  int Finish(bool has_faults) {
    const int printed = options_.output == "json" ? PrintData(out_) : PrintText(out_);
    if (printed != 0) return printed;
    if (has_faults) return kExitInvalidInput;
    if (explained_ > 0) return 0;
    PrintError("jettison: {}\n", NothingFound());
    return kExitFailed;
  }

  void Complain(const std::string& problem) { faults_.Add(lines_.line_number(), problem); }

  [[nodiscard]] bool IsRecordingLine(std::string_view record) const {
    return lines_.line_number() == 1 && record.substr(1).starts_with(kMagicLine);
  }

  // What is not an object was hardly meant as a record.
  [[nodiscard]] std::string NoObject(std::string_view record) const {
    if (IsRecordingLine(record)) {
      return fmt::format(
          "this is a recording of a node whose first byte is damaged; `jettison show {}` says what "
          "is intact of it",
          options_.file);
    }
    return "a record is a JSON object and begins with {; is the file damaged, or something else?";
  }

  void One(std::string_view record) {
    if (!record.substr(record.find_first_not_of(" \t")).starts_with('{')) {
      Complain(NoObject(record));
      // Every further line of a recording would be a fault.
      is_recording_ = IsRecordingLine(record);
      return;
    }
    const auto read = ReadScenario(record, scenario_);
    if (!read) return Complain(read.error().message);
    if (*read || (!options_.record.empty() && scenario_.name != options_.record)) return;
    const std::vector<RecordedPass> passes = RecordedPassesOf(scenario_);
    std::vector<PassExplanation> told;
    for (const RecordedPass& pass : passes) {
      auto explanation = ExplanationOf(pass, options_.target);
      if (explanation && !DidNothing(*explanation)) told.push_back(*std::move(explanation));
    }
    if (told.empty() && options_.target.empty() && !passes.empty()) {
      told.push_back(Explain(passes.back()));
    }
    for (const PassExplanation& explanation : told) Print(explanation);
  }

  void Print(const PassExplanation& explanation) {
    ++explained_;
    if (options_.output == "json") {
      out_ += JsonOf(explanation, scenario_.name);
      return;
    }
    if (!out_.empty()) out_ += "\n" + std::string(72, '-') + "\n\n";
    if (!scenario_.name.empty()) out_ += scenario_.name + "\n";
    out_ += TextOf(explanation);
  }

  [[nodiscard]] std::string NothingFound() const {
    if (!options_.target.empty()) {
      return fmt::format("the records of {1} have no eviction of a pod \"{0}\"", options_.target,
                         options_.file);
    }
    if (options_.record.empty()) return fmt::format("there is no scenario in {}", options_.file);
    return fmt::format("there is no record \"{}\" in {}", options_.record, options_.file);
  }

  const ExplainCommand& options_;
  LineReader lines_;
  Scenario scenario_;
  std::string out_;
  LineFaults faults_;
  std::size_t explained_ = 0;
  bool is_recording_ = false;
};

// Explains the passes of the scenarios in a file (NDJSON), or of a recording of an agent: those
// that acted or evicted, or, where none did, the last one of each. Prints what it finds; returns
// the exit status.
int ExplainFile(const ExplainCommand& options) {
  auto file = RecordingFile::OpenAny(options.file);
  if (!file) {
    PrintError("jettison: {}\n", file.error().message);
    return kExitFailed;
  }
  FileExplainer explainer(options, file->stream());
  return HasRecording(*file) ? explainer.Run(file->source()) : explainer.Run();
}

std::string PathFor(const ExplainCommand& command) {
  std::string path = "/api/v1/explain?output=" + command.output;
  if (command.target.empty()) return path;
  const bool eviction = EvictionNumber(command.target) > 0;
  return path + (eviction ? "&eviction=" : "&pod=") + EncodedForUrl(command.target);
}

int RunExplain(const ExplainCommand& command) {
  if (!command.file.empty()) return ExplainFile(command);
  if (!command.record.empty()) {
    PrintError("jettison: --record names a record in a file, so it needs --file\n");
    return kExitInvalidInput;
  }
  return PrintAnswerOf(command.ask, PathFor(command), command.output);
}

constexpr const char* kExplainFooter =
    "Without POD and EVICTION, explain says what would happen now. POD is namespace/name, a name\n"
    "or a UID: explain says where the pod ranks for each signal or, if it is gone, why it was\n"
    "evicted. EVICTION is the id of an eviction since the agent's start (ev-12); if a pod has\n"
    "such a name, write namespace/name. With --file, recorded passes are explained, without an\n"
    "agent: those of scenarios, or of a recording that `jettison record` has fetched.\n"
    "\n"
    "Examples:\n"
    "  jettison explain                        how far each threshold is, and which pod is next\n"
    "  jettison explain default/web            where the pod ranks, or why it was evicted\n"
    "  jettison explain ev-12                  one eviction in full\n"
    "  jettison explain ev-12 --output json | jq -r '.otherwise[].text'\n"
    "  jettison explain --file node.ndjson --record memory-3\n"
    "  jettison explain --file node.jtr default/web\n"
    "\n"
    "Exit status: 0 done, 1 the agent could not be asked or there is no such pod or eviction, 2\n"
    "wrong usage or an invalid record.";

}  // namespace

void AddRank(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<RankOptions>();
  CLI::App* command =
      app.add_subcommand("rank", "Ask the agent in which order pods would be evicted");
  command
      ->add_option("--signal", options->signal,
                   "the signal to rank the pods for: memory.available, nodefs.available, ...")
      ->check(KnownSignal())
      ->type_name("SIGNAL")
      ->capture_default_str();
  AddOutput(*command, options->output);
  AddAskOptions(*command, options->ask);
  command->footer(kRankFooter);
  command->callback([options, &exit_code] { exit_code = RunRank(*options); });
}

void AddExplain(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<ExplainCommand>();
  CLI::App* command = app.add_subcommand(
      "explain", "Say why a pod was evicted, where a pod ranks, or what would happen now");
  command->add_option("TARGET", options->target, "a pod or an eviction")->type_name("POD|EVICTION");
  command
      ->add_option(
          "--file", options->file,
          "explain the passes of scenarios (NDJSON) or of a recording; - reads standard input")
      ->type_name("FILE");
  command->add_option("--record", options->record, "with --file: only the record of that name");
  AddOutput(*command, options->output);
  AddAskOptions(*command, options->ask);
  command->footer(kExplainFooter);
  command->callback([options, &exit_code] { exit_code = RunExplain(*options); });
}

}  // namespace jettison
