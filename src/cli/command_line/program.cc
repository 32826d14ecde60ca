#include "cli/command_line/program.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <sstream>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/terminal/output.h"
#include "core/text/spelling.h"

namespace jettison {
namespace {

constexpr const char* kAbout =
    "Jettison keeps a Linux container host alive when memory, disk, inodes or process ids run "
    "out:\n"
    "it watches these resources, reclaims what is unused, and evicts the pod that ranks first.";

std::vector<std::string> NamesOfCommands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty()) names.push_back(command->get_name());
  }
  return names;
}

// The word in the place of a command; empty: there is none, or it is an option.
std::string UnknownCommand(const CLI::App& app) {
  if (!app.get_subcommands().empty()) return "";
  const std::vector<std::string> words = app.remaining();
  return words.empty() || words.front().starts_with('-') ? "" : words.front();
}

struct FormerCommand {
  std::string_view name;
  std::string_view instead;
};
constexpr FormerCommand kFormerCommands[] = {
    {"calibrate",
     "`jettison simulate RECORDING` begins with the calibration, and takes the same options"},
    {"diff",
     "use `jettison simulate RECORDING --policy B --against A`; what-happened and in-force "
     "may stand for A"},
    {"merge", "use `jettison simulate --sum FILES` with what `jettison simulate --shard` wrote"},
};

int ComplainOfCommand(const CLI::App& app, const std::string& word) {
  const auto* const former = std::ranges::find(kFormerCommands, word, &FormerCommand::name);
  if (former != std::end(kFormerCommands)) {
    PrintError("jettison: there is no command {} any more; {}\n", word, former->instead);
    return kExitInvalidInput;
  }
  const std::vector<std::string> names = NamesOfCommands(app);
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string_view meant = NearestWord(word, known);
  PrintError("jettison: \"{}\" is not a command; {}`jettison --help` lists them\n", word,
             meant.empty() ? "" : fmt::format("did you mean \"{}\"? ", meant));
  return kExitInvalidInput;
}

// The command of the line, or the program where the line has none.
const CLI::App& CommandOf(const CLI::App& app) {
  const std::vector<const CLI::App*> commands =
      app.get_subcommands([](const CLI::App* command) { return command->parsed(); });
  return commands.empty() ? app : *commands.front();
}

// "jettison", or "jettison status".
std::string NameOf(const CLI::App& app, const CLI::App& command) {
  return &command == &app ? app.get_name() : app.get_name() + " " + command.get_name();
}

int ComplainOfOption(const CLI::App& app, const CLI::App& command, std::string_view word) {
  const std::string_view option = word.substr(0, word.find('='));
  std::vector<std::string> names;
  for (const CLI::Option* each : command.get_options()) {
    for (const std::string& name : each->get_lnames()) names.push_back(name);
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  const bool is_long = option.starts_with("--");
  const std::string_view meant = is_long ? NearestWord(option.substr(2), known) : "";
  PrintError("jettison: there is no option {}; {}`{} --help` lists them\n", option,
             meant.empty() ? "" : fmt::format("did you mean --{}? ", meant), NameOf(app, command));
  return kExitInvalidInput;
}

int Complain(const CLI::App& app, const CLI::ParseError& error) {
  const std::string word = UnknownCommand(app);
  if (!word.empty()) return ComplainOfCommand(app, word);
  const CLI::App& command = CommandOf(app);
  const std::vector<std::string> others = command.remaining();
  const auto option =
      std::ranges::find_if(others, [](const std::string& other) { return other.starts_with('-'); });
  if (option != others.end()) return ComplainOfOption(app, command, *option);
  if (&command == &app) {
    PrintError("jettison: a command is missing; `jettison --help` lists them\n");
  } else if (!others.empty()) {
    PrintError("jettison: unexpected argument \"{}\"; see `{} --help`\n", others.front(),
               NameOf(app, command));
  } else {
    PrintError("jettison: {}; `{} --help` says more\n", error.what(), NameOf(app, command));
  }
  return kExitInvalidInput;
}

// Help and the version arrive as errors, too.
int EndOfParsing(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() != 0) return Complain(app, error);
  std::ostringstream help;
  app.exit(error, help, help);
  return PrintText(help.str());
}

// "--since=" of a shell variable that is not set: the next word would be taken for its value.
std::string OptionWithoutValue(int argc, const char* const* argv) {
  if (argc > 1 && std::string_view(argv[1]) == "complete") return "";
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--") break;
    if (word.starts_with("--") && word.find('=') == word.size() - 1) {
      return std::string(word.substr(0, word.size() - 1));
    }
  }
  return "";
}

bool HasCommand(const CLI::App& app, std::string_view name) {
  return !app.get_subcommands([name](const CLI::App* each) { return each->get_name() == name; })
              .empty();
}

constexpr std::string_view kHelp = "help";

bool AsksForHelp(int argc, const char* const* argv) {
  return argc > 1 && argv[1] == kHelp;
}

// "jettison help status" asks what "jettison status --help" does.
std::vector<const char*> WithHelpAsOption(int argc, const char* const* argv) {
  std::vector<const char*> words(argv, argv + argc);
  if (!AsksForHelp(argc, argv)) return words;
  words.erase(words.begin() + 1);
  if (words.size() > 1 && words[1] == kHelp) words.erase(words.begin() + 1);
  words.push_back("--help");
  return words;
}

int Run(const std::string& version, int argc, const char* const* argv) {
  const bool asks_for_help = AsksForHelp(argc, argv);
  const std::vector<const char*> words = WithHelpAsOption(argc, argv);
  argc = static_cast<int>(words.size());
  argv = words.data();
  CLI::App app(kAbout, "jettison");
  app.set_version_flag("--version", "jettison " + version);
  int exit_code = 0;
  AddCommands(app, exit_code);
  if (asks_for_help && argv[1][0] != '-' && !HasCommand(app, argv[1])) {
    return ComplainOfCommand(app, argv[1]);
  }
  if (const std::string option = OptionWithoutValue(argc, argv); !option.empty()) {
    PrintError("jettison: {}: must not be empty\n", option);
    return kExitInvalidInput;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return EndOfParsing(app, error);
  }
  const int written = PrintData("");  // what is still to be written out
  return exit_code != 0 ? exit_code : written;
}

}  // namespace

int RunProgram(const std::string& version, int argc, const char* const* argv) {
  try {
    return Run(version, argc, argv);
  } catch (const std::exception& fault) {
    PrintError("jettison: {}\n", fault.what());
    return kExitFailed;
  }
}

}  // namespace jettison
