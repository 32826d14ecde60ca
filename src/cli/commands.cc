#include "cli/commands.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstddef>
#include <exception>
#include <sstream>
#include <string_view>
#include <vector>

#include "cli/demo/demo.h"
#include "cli/doctor/doctor.h"
#include "cli/import/import.h"
#include "cli/simulate/simulate.h"
#include "cli/terminal/output.h"
#include "cli/top/top.h"
#include "core/text/spelling.h"

namespace jettison {
namespace {

constexpr const char* kAbout =
    "Jettison keeps a Linux container host alive when memory, disk, inodes or process ids run "
    "out:\n"
    "it watches these resources, reclaims what is unused, and evicts the pod that ranks first.";

constexpr const char* kExamples =
    "Examples:\n"
    "  jettison demo                                 show evictions on a small node under "
    "pressure\n"
    "  jettison doctor                               check what this host offers and what is "
    "missing\n"
    "  jettison check-config kubelet.yaml            show the effective policy, or every fault\n"
    "  jettison run --config jettison.yaml           run the agent on this node\n"
    "  jettison status                               show the state of the node\n"
    "  jettison top                                  watch the node live\n"
    "  jettison explain default/web                  say why the pod was evicted, or where it "
    "ranks\n"
    "  jettison record node.jtr                      fetch what the agent has recorded\n"
    "  jettison show node.jtr                        say what is in the recording\n"
    "  jettison import prometheus URL --node a       make recordings from Prometheus data\n"
    "  jettison replay node.jtr                      decide every recorded pass again\n"
    "  jettison simulate node.jtr --policy p.yaml    say what another policy would have done\n"
    "  jettison recommend node.jtr                   propose the policy that would have been best\n"
    "  jettison help simulate                        say what a command does, with its options\n"
    "\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage or invalid input.";

// In the order of the help.
constexpr void (*kCommands[])(CLI::App& app, int& exit_code) = {
    AddRun,    AddStatus, AddTop,         AddExplain,   AddRank,     AddShadow,
    AddDemo,   AddDoctor, AddCheckConfig, AddInspect,   AddRecord,   AddShow,
    AddReplay, AddImport, AddSimulate,    AddRecommend, AddWorkload, AddComplete,
};

// The value of a shell variable that is not set: it would mean what the option's absence means.
void RefuseEmptyValues(CLI::App& app) {
  const auto fault_of = [](const std::string& value) -> std::string {
    return value.empty() ? "must not be empty" : "";
  };
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == "complete") continue;  // it takes words that are still to be typed
    for (CLI::Option* option : command->get_options()) {
      if (option->get_items_expected_max() > 0) option->check(CLI::Validator(fault_of, ""));
    }
  }
}

// The command of the line, or the program where the line has none.
const CLI::App& CommandOf(const CLI::App& app) {
  const auto commands = app.get_subcommands();
  return commands.empty() ? app : *commands.front();
}

// The words that could stand in place of one that is not known: commands and options.
std::vector<std::string> KnownWords(const CLI::App& command) {
  std::vector<std::string> known;
  for (const CLI::App* each : command.get_subcommands([](const CLI::App*) { return true; })) {
    if (!each->get_group().empty()) known.push_back(each->get_name());  // not hidden
  }
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  return known;
}

// Help and the version arrive as errors, too.
int EndOfParsing(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) {
    std::ostringstream help;
    app.exit(error, help, help);
    return PrintText(help.str());
  }
  const CLI::App& command = CommandOf(app);
  const std::vector<std::string> unknown = command.remaining(/*recurse=*/true);
  std::string fault = error.what();
  if (!unknown.empty()) {
    const std::string word = unknown.front().substr(0, unknown.front().find('='));
    const std::vector<std::string> words = KnownWords(command);
    const std::vector<std::string_view> known(words.begin(), words.end());
    fault = fmt::format("unexpected argument \"{}\"{}", word, DidYouMean(word, known));
  }
  PrintError("jettison: {}; see `{}{} --help`\n", fault, app.get_name(),
             &command == &app ? "" : " " + command.get_name());
  return kExitInvalidInput;
}

// "jettison help status" asks what "jettison status --help" does. "--html=" of a shell variable
// that is not set has an empty value, which is refused (AddCommands), and not the next word.
std::vector<const char*> WordsOf(int argc, const char* const* argv) {
  std::vector<const char*> words(argv, argv + argc);
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (command == "complete") return words;
  for (std::size_t i = 1; i < words.size() && words[i] != std::string_view("--"); ++i) {
    const std::string_view word = words[i];
    if (word.starts_with("--") && word.find('=') == word.size() - 1) {
      words.insert(words.begin() + static_cast<std::ptrdiff_t>(++i), "");
    }
  }
  if (command == "help") {
    words.erase(words.begin() + 1);
    words.push_back("--help");
  }
  return words;
}

int Run(const std::string& version, int argc, const char* const* argv) {
  const std::vector<const char*> words = WordsOf(argc, argv);
  CLI::App app(kAbout, "jettison");
  app.set_version_flag("--version", "jettison " + version);
  int exit_code = 0;
  AddCommands(app, exit_code);
  try {
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::ParseError& error) {
    return EndOfParsing(app, error);
  }
  const int written = PrintData("");  // what is still to be written out
  return exit_code != 0 ? exit_code : written;
}

}  // namespace

void AddCommands(CLI::App& app, int& exit_code) {
  app.footer(kExamples);
  app.require_subcommand(1);
  for (const auto add : kCommands) add(app, exit_code);
  RefuseEmptyValues(app);
}

int RunProgram(const std::string& version, int argc, const char* const* argv) {
  try {
    return Run(version, argc, argv);
  } catch (const std::exception& fault) {
    PrintError("jettison: {}\n", fault.what());
    return kExitFailed;
  }
}

}  // namespace jettison
