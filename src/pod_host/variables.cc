#include "pod_host/variables.h"

#include <fmt/format.h>

#include <algorithm>

namespace jettison::pod_host {

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
  return pod_host::Expand(text, [this](std::string_view name) { return Find(name); });
}

Variables OwnVariables(const Container& container) {
  Variables variables;
  for (const EnvVar& env : container.env) variables.Set(env.name, variables.Expand(env.value));
  return variables;
}

}  // namespace jettison::pod_host
