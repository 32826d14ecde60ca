#include "core/pods/variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

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

namespace {

class ProgramSize {
 public:
  [[nodiscard]] std::optional<ProgramFault> Of(const Container& container) {
    for (std::size_t i = 0; i < container.env.size(); ++i) {
      const auto& [name, value] = container.env[i];
      const std::size_t size = ExpandedSize(value);
      if (!Takes(name.size() + 1 + size)) return Fault("env", i, Named(name));
      sizes_[name] = size;
    }
    if (auto fault = OfWords("command", container.command)) return fault;
    return OfWords("args", container.args);
  }

 private:
  static std::string Named(const std::string& name) {
    return fmt::format("the variable {}", Shown(name));
  }
  static std::string Shown(const std::string& name) {
    return name.size() <= 64 ? name : name.substr(0, 64) + "...";
  }

  std::optional<ProgramFault> OfWords(std::string_view field,
                                      const std::vector<std::string>& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (!Takes(ExpandedSize(words[i]))) return Fault(field, i, "it");
    }
    return std::nullopt;
  }

  [[nodiscard]] std::size_t ExpandedSize(std::string_view text) const {
    std::size_t size = 0;
    ForEachPart(
        text, [&](std::string_view literal) { size += literal.size(); },
        [&](std::string_view name) {
          const auto known = sizes_.find(name);
          if (known == sizes_.end()) return false;
          size += known->second;
          return true;
        });
    return size;
  }

  [[nodiscard]] bool Takes(std::size_t bytes) {
    string_ = bytes;
    all_ += bytes + 1 + sizeof(char*);
    return bytes < kMostStringBytes && all_ <= kMostProgramBytes;
  }

  [[nodiscard]] ProgramFault Fault(std::string_view field, std::size_t index,
                                   const std::string& what) const {
    if (string_ >= kMostStringBytes) {
      return {field, index,
              fmt::format("{} would have {} bytes once it is expanded; Linux takes {} in one "
                          "string of a program",
                          what, string_, kMostStringBytes - 1)};
    }
    return {field, index,
            fmt::format("with {} environment and arguments would have {} bytes once they are "
                        "expanded; Linux takes {} of a program",
                        what, all_, kMostProgramBytes)};
  }

  std::unordered_map<std::string_view, std::size_t> sizes_;  // of the variables so far
  std::size_t string_ = 0;                                   // of the last string
  std::size_t all_ = 0;
};

}  // namespace

std::optional<ProgramFault> ProgramFaultOf(const Container& container) {
  return ProgramSize().Of(container);
}

Result<void> CheckProgram(const Container& container) {
  const auto fault = ProgramFaultOf(container);
  if (!fault) return {};
  return Fail(ErrorCode::kInvalidArgument, fmt::format("container {}: {}[{}]: {}", container.name,
                                                       fault->field, fault->index, fault->message));
}

}  // namespace jettison
