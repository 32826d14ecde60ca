#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace jettison {

// A command of the program, and its options, which live as long as it.
template <typename Options>
struct AddedCommand {
  CLI::App& command;
  Options& options;
};

// Adds a command that does `run`, the exit status of which goes to `exit_code`.
template <typename Options>
[[nodiscard]] AddedCommand<Options> AddCommand(CLI::App& app, int& exit_code,
                                               const std::string& name, const std::string& help,
                                               const char* footer, int (*run)(const Options&)) {
  const auto options = std::make_shared<Options>();
  CLI::App& command = *app.add_subcommand(name, help);
  command.footer(footer);
  command.callback([options, run, &exit_code] { exit_code = run(*options); });
  return {command, *options};
}

// Adds --output, text or json, to a command. `output` must outlive the parsing.
CLI::Option* AddOutput(CLI::App& command, std::string& output,
                       const std::string& help = "text or json");

// A check for an option that is the name of a signal: what is wrong with a text, with the signal
// that was probably meant and those that there are; empty: nothing.
[[nodiscard]] std::function<std::string(const std::string&)> KnownSignal();

// A file that a command is to write, and the option that names it.
struct OutputPath {
  std::string_view option;
  std::string path;  // empty or "-": no file
};

// Why a command must not begin: one of its outputs is a file that it reads, or its other output,
// under this name or any other. Among the inputs, "-" is standard input, and a folder is no file.
// What is not there, and what is no regular file, has nothing to lose. Empty: nothing would be
// lost.
[[nodiscard]] std::string WhyDataWouldBeLost(const std::vector<OutputPath>& outputs,
                                             const std::vector<std::string>& inputs);

}  // namespace jettison
