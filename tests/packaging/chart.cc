#include "tests/packaging/chart.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <sstream>
#include <string_view>
#include <utility>

#include "tests/packaging/objects.h"

namespace jettison {
namespace {

// Two that need more than this renderer can, each with what stands for it here.
constexpr const char* kChecksum =
    R"(include (print $.Template.BasePath "/configuration.yaml") . | sha256sum)";
constexpr const char* kAlerts =
    R"(.Files.Get "alerts.yaml" | replace "jettison-system" .Release.Namespace)";

bool IsTrue(const std::string& value) {
  return !value.empty() && value != "false";
}

}  // namespace

Chart::Chart(std::string folder, std::map<std::string, std::string> values)
    : folder_(std::move(folder)), overridden_(std::move(values)) {
  defaults_ = Documents(FileText(folder_ + "/values.yaml"), "values.yaml").at(0);
  const auto chart = Documents(FileText(folder_ + "/Chart.yaml"), "Chart.yaml");
  app_version_ = TextAt(chart.at(0), "appVersion");
}

std::string Chart::ValueOf(const std::string& path) const {
  const Value* value = At(defaults_, path);
  EXPECT_NE(value, nullptr) << "values.yaml has no " << path;
  const auto at = overridden_.find(path);
  if (at != overridden_.end()) return at->second;
  if (value == nullptr) return {};
  return value->AsString() != nullptr ? *value->AsString() : Canonical(*value);
}

std::string Chart::Meaning(const std::string& expression) const {
  constexpr std::string_view kValues = ".Values.";
  if (expression.starts_with(kValues)) return ValueOf(expression.substr(kValues.size()));
  if (expression == ".Release.Namespace") return namespace_;
  if (expression == ".Chart.AppVersion") return app_version_;
  if (expression == kChecksum) return "checksum";
  if (expression == kAlerts) {
    return std::regex_replace(FileText(folder_ + "/alerts.yaml"), std::regex("jettison-system"),
                              namespace_);
  }
  ADD_FAILURE() << "{{ " << expression << " }} is not understood";
  return {};
}

std::string Chart::Filled(std::string line) const {
  static const std::regex kExpression(R"(\{\{ (.*?) \}\})");
  std::smatch match;
  std::string filled;
  while (std::regex_search(line, match, kExpression)) {
    filled += match.prefix().str() + Meaning(match[1]);
    line = match.suffix();
  }
  return filled + line;
}

std::string Chart::Rendered(const std::string& text) const {
  static const std::regex kIf(R"(\{\{- if (not )?(\S+) \}\})");
  std::vector<bool> shown = {true};
  std::string rendered;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, match, kIf)) {
      shown.push_back(shown.back() && IsTrue(Meaning(match[2])) != match[1].matched);
    } else if (line == "{{- end }}") {
      shown.pop_back();
    } else if (shown.back()) {
      rendered += Filled(line) + "\n";
    }
  }
  EXPECT_EQ(shown.size(), 1U) << "an if without its end";
  return rendered;
}

std::vector<Value> Chart::Objects(const std::string& release_namespace) const {
  namespace_ = release_namespace;
  std::vector<Value> objects;
  for (const auto& file : std::filesystem::directory_iterator(folder_ + "/templates")) {
    const std::string name = file.path().filename();
    for (Value& object : Documents(Rendered(FileText(file.path())), name)) {
      objects.push_back(std::move(object));
    }
  }
  return objects;
}

}  // namespace jettison
