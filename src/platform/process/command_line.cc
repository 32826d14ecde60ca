#include "platform/process/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace jettison::process {
namespace {

constexpr std::size_t kMaxHostName = 63;

using Variables = std::vector<std::pair<std::string, std::string>>;

std::optional<std::string> Find(const Variables& variables, std::string_view name) {
  for (const auto& [key, value] : variables) {
    if (key == name) return value;
  }
  return std::nullopt;
}

void Set(Variables& variables, std::string_view name, std::string value) {
  const auto it = std::find_if(variables.begin(), variables.end(),
                               [&](const auto& variable) { return variable.first == name; });
  if (it != variables.end()) {
    it->second = std::move(value);
  } else {
    variables.emplace_back(name, std::move(value));
  }
}

// What the container itself sets, expanded.
Variables OwnVariables(const Container& container) {
  Variables variables;
  for (const EnvVar& env : container.env) {
    Set(variables, env.name,
        Expand(env.value, [&](std::string_view name) { return Find(variables, name); }));
  }
  return variables;
}

}  // namespace

std::string Expand(std::string_view text, const VariableLookup& lookup) {
  std::string expanded;
  while (!text.empty()) {
    const std::size_t dollar = text.find('$');
    expanded += text.substr(0, dollar);
    if (dollar == std::string_view::npos) break;
    text.remove_prefix(dollar + 1);
    if (text.starts_with('$')) {
      expanded += '$';
      text.remove_prefix(1);
      continue;
    }
    const std::size_t close = text.starts_with('(') ? text.find(')') : std::string_view::npos;
    if (close == std::string_view::npos) {
      expanded += '$';
      continue;
    }
    const std::string_view name = text.substr(1, close - 1);
    expanded += lookup(name).value_or(fmt::format("$({})", name));
    text.remove_prefix(close + 1);
  }
  return expanded;
}

std::vector<std::string> EnvironmentOf(const Pod& pod, const Container& container) {
  Variables variables{{"PATH", std::string(kDefaultPath)},
                      {"HOME", "/root"},
                      {"HOSTNAME", pod.name.substr(0, kMaxHostName)}};
  for (auto& [name, value] : OwnVariables(container)) Set(variables, name, std::move(value));
  std::vector<std::string> environment;
  environment.reserve(variables.size());
  for (const auto& [name, value] : variables)
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
  const auto lookup = [&](std::string_view name) { return Find(variables, name); };
  std::vector<std::string> line;
  line.reserve(container.command.size() + container.args.size());
  for (const std::string& word : container.command) line.push_back(Expand(word, lookup));
  for (const std::string& word : container.args) line.push_back(Expand(word, lookup));
  return line;
}

}  // namespace jettison::process
