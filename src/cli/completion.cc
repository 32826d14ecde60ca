#include "cli/completion.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/ask/ask_agent.h"
#include "cli/commands.h"
#include "cli/simulate/candidates.h"
#include "cli/terminal/output.h"
#include "cli/top/top.h"
#include "core/model/signal.h"
#include "core/text/printable.h"
#include "http/client/client.h"

namespace jettison {
namespace {

// Where the words before the last one have led.
struct Position {
  const CLI::App* app = nullptr;
  const CLI::Option* awaiting = nullptr;  // an option whose value comes next
  std::size_t positionals = 0;            // values given so far that belong to no option
  bool is_within_word = false;            // bash has parted a word at its "="; the rest comes next
  std::optional<std::string> server;
};

const CLI::App* CommandOf(const CLI::App& app, const std::string& name) {
  const auto commands =
      app.get_subcommands([&](const CLI::App* command) { return command->get_name() == name; });
  return commands.empty() ? nullptr : commands.front();
}

bool TakesValue(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

void TakeOption(const std::string& word, Position& position) {
  const std::size_t equals = word.find('=');
  const CLI::Option* option = position.app->get_option_no_throw(word.substr(0, equals));
  if (option == nullptr || !TakesValue(*option)) return;
  if (equals == std::string::npos) {
    position.awaiting = option;
  } else if (option->check_lname("server")) {
    position.server = word.substr(equals + 1);
  }
}

void TakeWord(const std::string& word, Position& position) {
  if (position.awaiting != nullptr) {
    if (word == "=") return;
    if (position.awaiting->check_lname("server")) position.server = word;
    position.awaiting = nullptr;
  } else if (position.is_within_word || word == "=") {
    position.is_within_word = word == "=";
  } else if (word.starts_with('-')) {
    TakeOption(word, position);
  } else if (const CLI::App* command = CommandOf(*position.app, word)) {
    position.app = command;
  } else {
    ++position.positionals;
  }
}

// The values that an option's description names: "{text,json}", with what its check adds.
std::vector<Completion> NamedValues(const std::string& type) {
  std::vector<Completion> values;
  const std::size_t begin = type.find('{');
  const std::size_t end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos) return values;
  std::string_view list = std::string_view(type).substr(begin + 1, end - begin - 1);
  while (!list.empty()) {
    const std::string_view value = list.substr(0, list.find(','));
    values.push_back({std::string(value), ""});
    list.remove_prefix(std::min(value.size() + 1, list.size()));
  }
  return values;
}

Completions ValuesOf(const CLI::Option& option, const Position& position,
                     const RunningNames& pods) {
  Completions values;
  const std::string shown = option.get_type_name();  // with what its check adds: "TEXT:{a,b}"
  const std::string type = shown.substr(0, shown.find(':'));
  if (option.check_lname("signal")) {
    for (const Signal signal : kAllSignals) {
      values.words.push_back({std::string(NameOf(signal)), ""});
    }
    return values;
  }
  if (option.check_lname("sweep")) {
    for (const std::string& key : SweepKeys()) values.words.push_back({key + "=", ""});
    return values;
  }
  if (type == "POD|EVICTION") {
    values.words = pods(position.server);
    return values;
  }
  values.words = NamedValues(shown);
  values.files = values.words.empty() && (type == "FILE" || type == "DIR" || type == "PATH");
  return values;
}

Completions OptionsOf(const CLI::App& app) {
  Completions completions;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : option->get_lnames()) {
      completions.words.push_back({"--" + name, option->get_description()});
    }
  }
  return completions;
}

Completions CommandsOf(const CLI::App& app) {
  Completions completions;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_group().empty()) continue;  // it is hidden
    completions.words.push_back({command->get_name(), command->get_description()});
  }
  return completions;
}

// The argument without a name that comes next; null where there is none.
const CLI::Option* NextPositional(const Position& position) {
  std::size_t left = position.positionals;
  for (const CLI::Option* option : position.app->get_options()) {
    if (!option->get_positional()) continue;
    const auto most = static_cast<std::size_t>(std::max(option->get_items_expected_max(), 1));
    if (left < most) return option;
    left -= most;
  }
  return nullptr;
}

Completions ArgumentsOf(const Position& position, const RunningNames& pods) {
  Completions completions = CommandsOf(*position.app);
  const CLI::Option* positional = NextPositional(position);
  if (!completions.words.empty() || positional == nullptr) return completions;
  return ValuesOf(*positional, position, pods);
}

// "--output=js", one word: the values with the option in front.
Completions GluedValues(const std::string& word, const Position& position,
                        const RunningNames& pods) {
  const std::string option_name = word.substr(0, word.find('='));
  const CLI::Option* option = position.app->get_option_no_throw(option_name);
  if (option == nullptr || !TakesValue(*option)) return {};
  Completions completions = ValuesOf(*option, position, pods);
  for (Completion& value : completions.words) value.text = option_name + "=" + value.text;
  return completions;
}

// Somebody waits for it with a finger on a key.
constexpr Duration kCompletionPatience = std::chrono::milliseconds(300);

// The pods of the running agent; none where it does not answer at once.
std::vector<Completion> RunningPods(const std::optional<std::string>& server) {
  AskOptions options;
  const char* variable = std::getenv("JETTISON_SERVER");
  if (variable != nullptr) options.server = variable;
  if (server) options.server = *server;
  auto target = TargetOf(options);
  if (!target) return {};
  target->timeout = kCompletionPatience;
  const auto answer = HttpGet(*target, kOverviewPath);
  const auto overview = ReadOverview(answer ? answer->body : "");
  if (!overview) return {};
  std::vector<Completion> pods;
  for (const OverviewPod& pod : overview->pods) {
    pods.push_back({PodNameText(pod, /*with_namespace=*/true), PodStateText(pod, overview->at)});
  }
  return pods;
}

void PrintCompletions(const Completions& completions) {
  std::string lines;
  for (const Completion& word : completions.words) {
    const std::string line = word.description.substr(0, word.description.find('\n'));
    lines += Printable(word.text) + (line.empty() ? "" : "\t" + Printable(line)) + "\n";
  }
  if (completions.files) lines += ":files\n";
  (void)PrintData(lines);  // a shell that waits for words has no use for a status
}

}  // namespace

Completions CompletionsOf(const CLI::App& app, const Words& words, const RunningNames& pods) {
  if (words.empty()) return CommandsOf(app);
  Position position{.app = &app};
  for (std::size_t i = 0; i + 1 < words.size(); ++i) TakeWord(words[i], position);
  const std::string& last = words.back();
  Completions completions;
  if (position.awaiting != nullptr) {
    completions = ValuesOf(*position.awaiting, position, pods);
    if (last == "=") return completions;  // bash: nothing of the value is there yet
  } else if (position.is_within_word || last == "=") {
    return completions;  // the value of a sweep, for instance
  } else if (last.starts_with('-') && last.find('=') != std::string::npos) {
    completions = GluedValues(last, position, pods);
  } else if (last.starts_with('-')) {
    completions = OptionsOf(*position.app);
  } else {
    completions = ArgumentsOf(position, pods);
  }
  std::erase_if(completions.words,
                [&last](const Completion& word) { return !word.text.starts_with(last); });
  return completions;
}

void AddComplete(CLI::App& app, int& /*exit_code*/) {
  auto words = std::make_shared<Words>();
  CLI::App* command = app.add_subcommand("complete", "List what can be typed next, for shells");
  command->group("")->add_option("WORD", *words, "behind --");
  command->callback([&app, words] { PrintCompletions(CompletionsOf(app, *words, RunningPods)); });
}

}  // namespace jettison
