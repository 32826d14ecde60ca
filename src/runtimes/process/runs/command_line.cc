#include "runtimes/process/runs/command_line.h"

#include <fmt/format.h>

#include "core/pods/variables.h"

namespace jettison::process {
namespace {

constexpr std::size_t kMaxHostName = 63;

}  // namespace

std::vector<std::string> EnvironmentOf(const Pod& pod, const Container& container) {
  Variables variables{{"PATH", std::string(kDefaultPath)},
                      {"HOME", "/root"},
                      {"HOSTNAME", pod.name.substr(0, kMaxHostName)}};
  const Variables own = OwnVariables(container);
  for (const auto& [name, value] : own.entries()) variables.Set(name, value);
  std::vector<std::string> environment;
  environment.reserve(variables.entries().size());
  for (const auto& [name, value] : variables.entries())
    environment.push_back(fmt::format("{}={}", name, value));
  return environment;
}

Result<std::vector<std::string>> CommandLineOf(const Container& container) {
  if (container.command.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("container {} has no command; the process runtime has no image to take "
                            "one from: set spec.containers[].command",
                            container.name));
  }
  const Variables variables = OwnVariables(container);
  std::vector<std::string> line;
  line.reserve(container.command.size() + container.args.size());
  for (const std::string& word : container.command) line.push_back(variables.Expand(word));
  for (const std::string& word : container.args) line.push_back(variables.Expand(word));
  return line;
}

}  // namespace jettison::process
