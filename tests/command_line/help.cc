#include "tests/command_line/help.h"

#include <regex>

#include "tests/live/program.h"

namespace jettison {
namespace {

std::string HelpOf(const std::vector<std::string>& command) {
  std::vector<std::string> arguments = {JETTISON_BINARY};
  arguments.insert(arguments.end(), command.begin(), command.end());
  arguments.emplace_back("--help");
  Program program(arguments, {});
  return program.Wait() == 0 ? program.output() : "";
}

}  // namespace

std::vector<std::string> ShownCommands() {
  const std::string help = HelpOf({});
  const std::size_t begin = help.find("Subcommands:");
  if (begin == std::string::npos) return {};
  const std::size_t end = help.find("\n\n", begin);  // the examples follow
  return AllMatches(help.substr(begin, end - begin), R"(^  ([a-z][a-z-]+) )");
}

std::vector<std::string> ShownOptions(const std::string& command) {
  std::vector<std::string> options = AllMatches(HelpOf({command}), R"(^  (?:-\w,)?(--[a-z-]+))");
  std::erase(options, "--help");
  return options;
}

std::vector<std::string> AllMatches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern, std::regex::multiline);
  std::vector<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), regex), end; it != end; ++it) {
    found.push_back((*it)[1]);
  }
  return found;
}

}  // namespace jettison
