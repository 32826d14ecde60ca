#include "core/pods/variables.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/model/fault.h"

namespace jettison {

void Variables::Set(std::string_view name, std::string value) {
  const auto it = std::find_if(entries_.begin(), entries_.end(),
                               [&](const auto& entry) { return entry.first == name; });
  if (it != entries_.end()) {
    it->second = std::move(value);
  } else {
    entries_.emplace_back(name, std::move(value));
  }
}

std::optional<std::string> Variables::Find(std::string_view name) const {
  for (const auto& [key, value] : entries_) {
    if (key == name) return value;
  }
  return std::nullopt;
}

std::string Variables::Expand(std::string_view text) const {
  std::string expanded;
  while (!text.empty() && expanded.size() <= kMostStringBytes) {
    const std::size_t dollar = std::min(text.find('$'), text.size());
    expanded += text.substr(0, dollar);
    text.remove_prefix(dollar);
    const std::size_t close = text.starts_with("$(") ? text.find(')') : std::string_view::npos;
    if (close == std::string_view::npos) {
      expanded += text.substr(0, 1);
      text.remove_prefix(std::min<std::size_t>(text.starts_with("$$") ? 2 : 1, text.size()));
      continue;
    }
    const auto value = Find(text.substr(2, close - 2));
    expanded += value ? std::string_view(*value) : text.substr(0, close + 1);
    text.remove_prefix(close + 1);
  }
  return expanded;
}

Variables OwnVariables(const Container& container) {
  Variables variables;
  for (const EnvVar& env : container.env) variables.Set(env.name, variables.Expand(env.value));
  return variables;
}

std::optional<ProgramFault> ProgramFaultOf(const Container& container) {
  std::size_t all = 0;
  const auto fault_of = [&all](std::string_view field, std::size_t index, std::size_t bytes,
                               const std::string& what) -> std::optional<ProgramFault> {
    all += bytes + 1 + sizeof(char*);
    if (bytes >= kMostStringBytes) {
      return ProgramFault{
          field, index,
          fmt::format("{} would have more than {} bytes once it is expanded, which is more than "
                      "Linux takes in one string of a program",
                      what, kMostStringBytes - 1)};
    }
    if (all <= kMostProgramBytes) return std::nullopt;
    return ProgramFault{
        field, index,
        fmt::format("with {} environment and arguments would have more than {} bytes once they are "
                    "expanded, which is more than Linux takes of a program",
                    what, kMostProgramBytes)};
  };
  Variables variables;
  for (std::size_t i = 0; i < container.env.size(); ++i) {
    const auto& [name, unexpanded] = container.env[i];
    std::string value = variables.Expand(unexpanded);
    const std::string what = "the variable " + Shortened(name, 64);
    if (auto fault = fault_of("env", i, name.size() + 1 + value.size(), what)) return fault;
    variables.Set(name, std::move(value));
  }
  const auto fault_of_words = [&](std::string_view field, const std::vector<std::string>& words) {
    std::optional<ProgramFault> fault;
    for (std::size_t i = 0; i < words.size() && !fault; ++i) {
      fault = fault_of(field, i, variables.Expand(words[i]).size(), "it");
    }
    return fault;
  };
  if (auto fault = fault_of_words("command", container.command)) return fault;
  return fault_of_words("args", container.args);
}

}  // namespace jettison
