#include "cli/complete.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "cli/completion.h"
#include "cli/terminal/output.h"
#include "cli/top/ask_overview.h"
#include "cli/top/overview_reader.h"
#include "cli/top/overview_text.h"
#include "core/text/printable.h"
#include "http/client/client.h"

namespace jettison {
namespace {

// Somebody waits for it with a finger on a key.
constexpr Duration kPatience = std::chrono::milliseconds(300);

// The pods of the running agent; none where it does not answer at once.
std::vector<Completion> RunningPods(const std::optional<std::string>& server) {
  AskOptions options;
  const char* variable = std::getenv("JETTISON_SERVER");
  if (variable != nullptr) options.server = variable;
  if (server) options.server = *server;
  auto target = TargetOf(options);
  if (!target) return {};
  target->timeout = kPatience;
  const auto answer = HttpGet(*target, OverviewPath(std::nullopt));
  const auto overview = ReadOverview(answer ? answer->body : "");
  if (!overview) return {};
  std::vector<Completion> pods;
  for (const OverviewPod& pod : overview->pods) {
    pods.push_back({PodNameText(pod, /*with_namespace=*/true), PodStateText(pod, overview->at)});
  }
  return pods;
}

void Print(const Completions& completions) {
  std::string lines;
  for (const Completion& word : completions.words) {
    const std::string line = word.description.substr(0, word.description.find('\n'));
    lines += Printable(word.text) + (line.empty() ? "" : "\t" + Printable(line)) + "\n";
  }
  if (completions.files) lines += ":files\n";
  (void)PrintData(lines);  // a shell that waits for words has no use for a status
}

}  // namespace

void AddComplete(CLI::App& app, int& /*exit_code*/) {
  auto words = std::make_shared<Words>();
  CLI::App* command = app.add_subcommand("complete", "List what can be typed next, for shells");
  command->group("")->add_option("WORD", *words, "behind --");
  command->callback([&app, words] { Print(CompletionsOf(app, *words, RunningPods)); });
}

}  // namespace jettison
