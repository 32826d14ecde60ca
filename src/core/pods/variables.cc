#include "core/pods/variables.h"

#include <algorithm>

namespace jettison {

std::string Expand(std::string_view text, const VariableLookup& lookup) {
  std::string expanded;
  ForEachPart(
      text, [&](std::string_view literal) { expanded += literal; },
      [&](std::string_view name) {
        const auto value = lookup(name);
        if (value) expanded += *value;
        return value.has_value();
      });
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
  return jettison::Expand(text, [this](std::string_view name) { return Find(name); });
}

Variables OwnVariables(const Container& container) {
  Variables variables;
  for (const EnvVar& env : container.env) variables.Set(env.name, variables.Expand(env.value));
  return variables;
}

}  // namespace jettison
