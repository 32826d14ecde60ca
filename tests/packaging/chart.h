#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/model/value.h"
#include "tests/packaging/objects.h"

namespace jettison {

// What an expression of a template is about.
struct TemplateScope {
  Value dot;           // what paths begin at
  std::string folder;  // the chart's, for .Files.Get
};

// Whether `if` and `with` take a value for true: it is neither empty nor zero.
inline bool IsTrue(const Value& value) {
  if (const auto* flag = value.AsBool()) return *flag;
  if (const auto* text = value.AsString()) return !text->empty();
  if (const auto* number = value.AsNumber()) return std::stod(number->text) != 0;
  if (const auto* list = value.AsList()) return !list->empty();
  if (const auto* map = value.AsMap()) return !map->empty();
  return false;
}

// A word or a number as a template shows it. Another value fails the test.
inline std::string ShownInTemplate(const Value& value) {
  if (const auto* text = value.AsString()) return *text;
  EXPECT_TRUE(value.AsBool() != nullptr || value.AsNumber() != nullptr)
      << Json(value) << " is shown as Go prints it";
  return Json(value);
}

using Arguments = std::vector<Value>;
using Function = std::function<Value(const Arguments&)>;

inline Value Text(std::string text) {
  return Value(std::move(text));
}

// What is in a map is on a line each, and what is in that is on the same line.
inline std::string AsYaml(const Value& value) {
  const Value::Map* map = value.AsMap();
  if (map == nullptr || map->empty()) return Json(value);
  std::string lines;
  for (const auto& [key, member] : *map) {
    lines += fmt::format("{}{}: {}", lines.empty() ? "" : "\n", Json(Text(key)), Json(member));
  }
  return lines;
}

inline std::string Indented(const std::string& text, std::size_t spaces) {
  std::string indented;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    indented += (indented.empty() ? "" : "\n") + std::string(spaces, ' ') + line;
  }
  return indented;
}

inline std::string Replaced(std::string text, const std::string& old, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(old, at)) != std::string::npos; at += by.size()) {
    text.replace(at, old.size(), by);
  }
  return text;
}

// Go's name, as far as we ask.
inline std::string KindOf(const Value& value) {
  return value.IsNull() ? "invalid" : std::string(value.KindName());
}

inline const std::map<std::string, Function>& Functions() {
  static const std::map<std::string, Function> kFunctions = {
      {"and", [](const Arguments& a) { return IsTrue(a.at(0)) ? a.at(1) : a.at(0); }},
      {"or", [](const Arguments& a) { return IsTrue(a.at(0)) ? a.at(0) : a.at(1); }},
      {"not", [](const Arguments& a) { return Value(!IsTrue(a.at(0))); }},
      {"default", [](const Arguments& a) { return IsTrue(a.at(1)) ? a.at(1) : a.at(0); }},
      {"kindIs",
       [](const Arguments& a) { return Value(KindOf(a.at(1)) == ShownInTemplate(a.at(0))); }},
      {"hasPrefix",
       [](const Arguments& a) {
         return Value(ShownInTemplate(a.at(1)).starts_with(ShownInTemplate(a.at(0))));
       }},
      {"dir",
       [](const Arguments& a) {
         return Text(std::filesystem::path(ShownInTemplate(a.at(0))).parent_path().string());
       }},
      {"quote", [](const Arguments& a) { return Text(Json(Text(ShownInTemplate(a.at(0))))); }},
      {"replace",
       [](const Arguments& a) {
         return Text(Replaced(ShownInTemplate(a.at(2)), ShownInTemplate(a.at(0)),
                              ShownInTemplate(a.at(1))));
       }},
      {"indent",
       [](const Arguments& a) {
         return Text(Indented(ShownInTemplate(a.at(1)), std::stoul(ShownInTemplate(a.at(0)))));
       }},
      {"toYaml", [](const Arguments& a) { return Text(AsYaml(a.at(0))); }},
      {"fromYaml",
       [](const Arguments& a) { return Documents(ShownInTemplate(a.at(0)), "fromYaml").at(0); }},
      {"get", [](const Arguments& a) { return *At(a.at(0), ShownInTemplate(a.at(1))); }},
  };
  return kFunctions;
}

class ExpressionReader {
 public:
  ExpressionReader(std::string_view text, const TemplateScope& scope)
      : rest_(text), scope_(scope) {}

  Value Pipeline() {
    Value value = Command({});
    while (Take('|')) value = Command({value});
    return value;
  }
  [[nodiscard]] bool AtEnd() {
    SkipSpaces();
    return rest_.empty();
  }

 private:
  void SkipSpaces() { rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size())); }
  [[nodiscard]] bool Next(char c) {
    SkipSpaces();
    return rest_.starts_with(c);
  }
  bool Take(char c) {
    if (!Next(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::string TakeUntil(std::string_view ends) {
    const std::size_t end = std::min(rest_.find_first_of(ends), rest_.size());
    const std::string taken(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return taken;
  }
  // A function with its arguments, of which the last one may come through the pipe; or a value.
  Value Command(Arguments piped) {
    SkipSpaces();
    const bool is_file = rest_.starts_with(".Files.Get ");
    if (!is_file && (rest_.empty() || std::isalpha(rest_.front()) == 0)) return Operand();
    const std::string name = TakeUntil(" |)");
    Arguments arguments;
    while (!AtEnd() && !Next('|') && !Next(')')) arguments.push_back(Operand());
    arguments.insert(arguments.end(), piped.begin(), piped.end());
    if (is_file) return Text(FileText(scope_.folder + "/" + ShownInTemplate(arguments.at(0))));
    const auto function = Functions().find(name);
    if (function != Functions().end()) return function->second(arguments);
    ADD_FAILURE() << "this renderer does not know the function " << name;
    return {};
  }
  Value Operand() {
    if (Take('(')) {
      Value value = Pipeline();
      EXPECT_TRUE(Take(')')) << "a parenthesis without its end before " << rest_;
      return value;
    }
    if (Take('"')) {
      const std::string text = TakeUntil("\"");
      EXPECT_TRUE(Take('"')) << "a text without its end: " << text;
      return Text(text);
    }
    const std::string word = TakeUntil(" |)");
    if (word.starts_with('.')) return AtPath(word.substr(1));
    EXPECT_FALSE(word.empty() || word.find_first_not_of("0123456789") != std::string::npos)
        << "this renderer does not understand " << word << rest_;
    return Value(Value::Number{word});
  }
  Value AtPath(const std::string& path) {
    const Value* value = At(scope_.dot, path);
    EXPECT_NE(value, nullptr) << "there is no ." << path;
    return value == nullptr ? Value() : *value;
  }

  std::string_view rest_;
  const TemplateScope& scope_;
};

// The value of what stands between "{{" and "}}" in a template of Helm: paths, texts, numbers,
// parentheses, pipelines, and those functions that our chart uses. Anything else fails the test,
// and so does a path that leads nowhere.
inline Value Evaluated(std::string_view expression, const TemplateScope& scope) {
  ExpressionReader reader(expression, scope);
  Value value = reader.Pipeline();
  EXPECT_TRUE(reader.AtEnd()) << "{{ " << expression << " }} is not understood";
  return value;
}

// This needs more than our expressions can.
inline constexpr const char* kChecksum =
    R"(include (print $.Template.BasePath "/configuration.yaml") . | sha256sum)";

inline Value Merged(const Value& base, const Value& over) {
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

// Renders a chart as Helm does, as far as ours asks for it: `if`, `with` and `end` on lines of
// their own, and expressions. Anything else in a template fails the test.
class Chart {
 public:
  // `values` are YAML, as those of `helm --values`: they are merged over values.yaml.
  explicit Chart(std::string folder, const std::string& values = "{}")
      : folder_(std::move(folder)),
        values_(Merged(Documents(FileText(folder_ + "/values.yaml"), "values.yaml").at(0),
                       Documents(values, "the test's values").at(0))) {}

  // Every object of every template, released into a namespace.
  [[nodiscard]] std::vector<Value> Objects(const std::string& release_namespace) const {
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

 private:
  [[nodiscard]] std::string Filled(std::string line, const Value& dot) const {
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
  [[nodiscard]] std::string Rendered(const std::string& text, const Value& root) const {
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

  std::string folder_;
  Value values_;
};

}  // namespace jettison
