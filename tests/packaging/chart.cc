#include "tests/packaging/chart.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <sstream>
#include <utility>

#include "tests/packaging/expression.h"
#include "tests/packaging/objects.h"

namespace jettison {
namespace {

// This needs more than our expressions can.
constexpr const char* kChecksum =
    R"(include (print $.Template.BasePath "/configuration.yaml") . | sha256sum)";

Value Merged(const Value& base, const Value& over) {
  if (base.AsMap() == nullptr || over.AsMap() == nullptr) return over;
  Value::Map merged = *base.AsMap();
  for (const auto& [key, value] : *over.AsMap()) {
    const auto at = std::ranges::find(merged, key, &Value::Member::first);
    if (at == merged.end()) {
      merged.emplace_back(key, value);
    } else {
      at->second = Merged(at->second, value);
    }
  }
  return Value(std::move(merged));
}

// What the lines between an `if` or `with` and its end are about.
struct Block {
  bool shown = true;
  Value dot;
};

}  // namespace

Chart::Chart(std::string folder, const std::string& values)
    : folder_(std::move(folder)),
      values_(Merged(Documents(FileText(folder_ + "/values.yaml"), "values.yaml").at(0),
                     Documents(values, "the test's values").at(0))) {}

std::string Chart::Filled(std::string line, const Value& dot) const {
  static const std::regex kExpression(R"(\{\{ (.*?) \}\})");
  std::smatch match;
  std::string filled;
  while (std::regex_search(line, match, kExpression)) {
    filled += match.prefix();
    filled += match[1] == kChecksum
                  ? "checksum"
                  : ShownInTemplate(Evaluated(match[1].str(), {.dot = dot, .folder = folder_}));
    line = match.suffix();
  }
  return filled + line;
}

std::string Chart::Rendered(const std::string& text, const Value& root) const {
  static const std::regex kBlock(R"(\{\{- (if|with) (.*) \}\})");
  std::vector<Block> blocks = {{.dot = root}};
  std::string rendered;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const Block block = blocks.back();
    std::smatch match;
    if (line == "{{- end }}") {
      blocks.pop_back();
    } else if (!std::regex_match(line, match, kBlock)) {
      if (block.shown) rendered += Filled(line, block.dot) + "\n";
    } else if (!block.shown) {
      blocks.push_back(block);
    } else {
      const Value value = Evaluated(match[2].str(), {.dot = block.dot, .folder = folder_});
      blocks.push_back({.shown = IsTrue(value), .dot = match[1] == "with" ? value : block.dot});
    }
  }
  EXPECT_EQ(blocks.size(), 1U) << "a block without its end";
  return rendered;
}

std::vector<Value> Chart::Objects(const std::string& release_namespace) const {
  const Value chart = Documents(FileText(folder_ + "/Chart.yaml"), "Chart.yaml").at(0);
  const Value root(Value::Map{
      {"Values", values_},
      {"Release", Value(Value::Map{{"Namespace", Value(release_namespace)}})},
      {"Chart", Value(Value::Map{{"AppVersion", *At(chart, "appVersion")}})},
  });
  std::vector<Value> objects;
  for (const auto& file : std::filesystem::directory_iterator(folder_ + "/templates")) {
    const std::string name = file.path().filename();
    for (Value& object : Documents(Rendered(FileText(file.path()), root), name)) {
      objects.push_back(std::move(object));
    }
  }
  return objects;
}

}  // namespace jettison
