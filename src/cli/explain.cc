#include "core/explain/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <variant>

#include "agent/notify/eviction_history.h"
#include "cli/ask/ask_agent.h"
#include "cli/commands.h"
#include "cli/recording/recording_file.h"
#include "cli/terminal/options.h"
#include "cli/terminal/output.h"
#include "core/explanation/explanation_text.h"

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
  std::string output = "text";
};

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

// Explains the passes of a recording, or of scenarios, that did something; where none did, the last
// one. Prints what it finds, also where something is wrong with the rest; returns the exit status.
int ExplainFile(const ExplainCommand& options) {
  const auto opened = RecordingFile::Open(options.file);
  if (!opened) return Report(opened.error());
  RecordingFile& file = **opened;
  CommandFaults faults;
  std::string out;
  const auto put = [&](const PassExplanation& explanation) {
    if (options.output == "json") {
      out += JsonOf(explanation);
    } else {
      out += (out.empty() ? "" : "\n" + std::string(72, '-') + "\n\n") + TextOf(explanation);
    }
  };
  std::shared_ptr<const RecordedPass> last;
  for (;;) {
    const auto item = file.source().Next();
    if (!item) {
      faults.Add(file.has_scenarios() ? item.error() : item.error().In(file.name()));
      if (item.error().code != ErrorCode::kInvalidArgument) break;
      continue;
    }
    if (!*item) break;
    const auto* pass = std::get_if<std::shared_ptr<const RecordedPass>>(&**item);
    if (pass == nullptr) continue;
    last = *pass;
    const auto explanation = ExplanationOf(**pass, options.target);
    if (explanation && explanation->outcome != PassOutcome::kNothing) put(*explanation);
  }
  if (out.empty() && options.target.empty() && last) put(Explain(*last));
  const int printed = options.output == "json" ? PrintData(out) : PrintText(out);
  if (printed != 0 || faults.status() != 0) return std::max(printed, faults.status());
  if (!out.empty()) return 0;
  PrintError(
      "jettison: {} has no {}\n", file.name(),
      options.target.empty() ? "pass" : fmt::format("eviction of a pod \"{}\"", options.target));
  return kExitFailed;
}

std::string PathFor(const ExplainCommand& command) {
  std::string path = "/api/v1/explain?output=" + command.output;
  if (command.target.empty()) return path;
  const bool eviction = EvictionNumber(command.target) > 0;
  return path + (eviction ? "&eviction=" : "&pod=") + EncodedForUrl(command.target);
}

int RunExplain(const ExplainCommand& command) {
  if (!command.file.empty()) return ExplainFile(command);
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
    "  jettison explain --file node.jtr default/web\n"
    "\n"
    "Exit status: 0 done, 1 the agent could not be asked or there is no such pod or eviction, 2\n"
    "wrong usage or an invalid record.";

}  // namespace

void AddRank(CLI::App& app, int& exit_code) {
  const auto [command, options] =
      AddCommand(app, exit_code, "rank", "Ask the agent in which order pods would be evicted",
                 kRankFooter, RunRank);
  command
      .add_option("--signal", options.signal,
                  "the signal to rank the pods for: memory.available, nodefs.available, ...")
      ->check(KnownSignal())
      ->type_name("SIGNAL")
      ->capture_default_str();
  AddOutput(command, options.output);
  AddAskOptions(command, options.ask);
}

void AddExplain(CLI::App& app, int& exit_code) {
  const auto [command, options] =
      AddCommand(app, exit_code, "explain",
                 "Say why a pod was evicted, where a pod ranks, or what would happen now",
                 kExplainFooter, RunExplain);
  command.add_option("TARGET", options.target, "a pod or an eviction")->type_name("POD|EVICTION");
  command
      .add_option(
          "--file", options.file,
          "explain the passes of scenarios (NDJSON) or of a recording; - reads standard input")
      ->type_name("FILE");
  AddOutput(command, options.output);
  AddAskOptions(command, options.ask);
}

}  // namespace jettison
