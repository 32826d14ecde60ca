#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/documents/documents.h"
#include "core/config/read_config.h"
#include "core/model/value.h"
#include "tests/live/program.h"

namespace jettison {

inline const Value* Member(const Value& value, std::string_view name) {
  const Value::List* list = value.AsList();
  if (list == nullptr) return value.Find(name);
  std::size_t place = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), place);
  return error == std::errc() && place < list->size() ? &(*list)[place] : nullptr;
}

[[nodiscard]] inline std::string FileText(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

// The YAML documents of a text; what is wrong with it fails the test.
[[nodiscard]] inline std::vector<Value> Documents(const std::string& text,
                                                  const std::string& name) {
  auto documents = ParseDocuments(text);
  if (documents) return *std::move(documents);
  ADD_FAILURE() << name << ": " << documents.error().message;
  return {};
}

// The value at "spec.template.0.name"; null where there is none.
[[nodiscard]] inline const Value* At(const Value& value, std::string_view path) {
  const Value* at = &value;
  while (at != nullptr && !path.empty()) {
    const std::size_t end = std::min(path.find('.'), path.size());
    at = Member(*at, path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return at;
}
// The text there; empty where there is none.
[[nodiscard]] inline std::string TextAt(const Value& value, std::string_view path) {
  const Value* at = At(value, path);
  const std::string* text = at == nullptr ? nullptr : at->AsString();
  return text == nullptr ? std::string() : *text;
}
// The texts of the list there.
[[nodiscard]] inline std::vector<std::string> TextsAt(const Value& value, std::string_view path) {
  std::vector<std::string> texts;
  const Value* at = At(value, path);
  if (at == nullptr || at->AsList() == nullptr) return texts;
  for (const Value& each : *at->AsList()) texts.push_back(TextAt(each, ""));
  return texts;
}

// The value as JSON on one line, members in the order of their names: values that mean the same
// have the same text.
[[nodiscard]] inline std::string Json(const Value& value) {
  std::vector<std::string> parts;
  if (const auto* map = value.AsMap()) {
    std::map<std::string, std::string> members;
    for (const auto& [key, member] : *map) members[Json(Value(key))] = Json(member);
    for (const auto& [key, member] : members) parts.push_back(key + ": " + member);
    return fmt::format("{{{}}}", fmt::join(parts, ", "));
  }
  if (const auto* list = value.AsList()) {
    for (const Value& each : *list) parts.push_back(Json(each));
    return fmt::format("[{}]", fmt::join(parts, ", "));
  }
  if (const auto* number = value.AsNumber()) return number->text;
  if (const auto* flag = value.AsBool()) return *flag ? "true" : "false";
  const auto* text = value.AsString();
  if (text == nullptr) return "null";
  std::string inside;
  for (const char c : *text) {
    if (c == '"' || c == '\\') inside += '\\';
    inside += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return "\"" + inside + "\"";
}

// Objects by "kind name".
[[nodiscard]] inline std::map<std::string, Value> ByName(const std::vector<Value>& objects) {
  std::map<std::string, Value> named;
  for (const Value& object : objects) {
    const auto name = TextAt(object, "kind") + " " + TextAt(object, "metadata.name");
    EXPECT_TRUE(named.emplace(name, object).second) << name << " is there twice";
  }
  return named;
}

// Tests that run `kubectl kustomize`; they skip where there is no kubectl that can.
class Kustomization : public testing::Test {
 protected:
  void SetUp() override {
    if (std::string(JETTISON_KUBECTL).empty()) GTEST_SKIP() << "no kubectl";
    Program version({"/bin/sh", "-c", Quoted(JETTISON_KUBECTL) + " version --client"}, {});
    (void)version.Wait();
    // Those before 1.21 have a kustomize that knows no components.
    if (!std::regex_search(version.output(),
                           std::regex("Kustomize Version: v([4-9]|[1-9][0-9])"))) {
      GTEST_SKIP() << "this kubectl is too old: " << version.output();
    }
  }
};

// The objects of a kustomization. A name that kustomize made from the content of a ConfigMap is
// without that again.
[[nodiscard]] inline std::map<std::string, Value> Kustomized(const std::string& folder) {
  Program kubectl(
      {"/bin/sh", "-c", fmt::format("{} kustomize {}", Quoted(JETTISON_KUBECTL), Quoted(folder))},
      {});
  EXPECT_EQ(kubectl.Wait(), 0) << kubectl.output();
  const std::string plain = std::regex_replace(
      kubectl.output(), std::regex("name: (jettison(-drop-ins)?)-[a-z0-9]{10}\n"), "name: $1\n");
  return ByName(Documents(plain, folder));
}

// The objects of a kustomization that says `text` and that lies in a folder of its own beside other
// `files` (content by name). "../packaging" in the text is the project's.
[[nodiscard]] inline std::map<std::string, Value> KustomizedText(
    const std::string& text, const std::map<std::string, std::string>& files = {}) {
  const TemporaryFolder folder;
  // Kustomize takes relative paths alone.
  const std::string packaging =
      std::filesystem::relative(std::string(JETTISON_SOURCE) + "/packaging", folder.path());
  std::ofstream(folder.path() + "/kustomization.yaml")
      << std::regex_replace(text, std::regex(R"(\.\./packaging)"), packaging);
  for (const auto& [name, content] : files) std::ofstream(folder.path() + "/" + name) << content;
  return Kustomized(folder.path());
}

// jettison.yaml of the ConfigMap `jettison`. The name has a dot in it, which paths cannot say.
[[nodiscard]] inline std::string ConfigurationOf(const std::map<std::string, Value>& objects) {
  const Value* text = objects.at("ConfigMap jettison").Find("data")->Find("jettison.yaml");
  return text == nullptr || text->AsString() == nullptr ? std::string() : *text->AsString();
}

// The files of the ConfigMap `jettison-drop-ins`, by name.
[[nodiscard]] inline std::map<std::string, std::string> DropInsOf(
    const std::map<std::string, Value>& objects) {
  std::map<std::string, std::string> drop_ins;
  const Value* data = objects.at("ConfigMap jettison-drop-ins").Find("data");
  if (data == nullptr || data->AsMap() == nullptr) return drop_ins;
  for (const auto& [name, text] : *data->AsMap()) drop_ins[name] = TextAt(text, "");
  return drop_ins;
}

// What the agent is started with, in one line.
[[nodiscard]] inline std::string ArgumentsOf(const Value& daemon_set) {
  return fmt::format("{}",
                     fmt::join(TextsAt(daemon_set, "spec.template.spec.containers.0.args"), " "));
}

// Reads a configuration with its drop-ins, which must have no fault.
[[nodiscard]] inline ConfigReading Configuration(
    const std::string& text, const std::map<std::string, std::string>& drop_ins = {}) {
  std::vector<ConfigDocument> documents;
  for (const Value& each : Documents(text, "jettison.yaml")) {
    documents.push_back({.file = "jettison.yaml", .document = each});
  }
  for (const auto& [name, content] : drop_ins) {
    for (const Value& each : Documents(content, name)) {
      documents.push_back({.file = name, .document = each, .drop_in = true});
    }
  }
  ConfigReading reading = ReadConfig(documents);
  EXPECT_THAT(reading.faults, testing::IsEmpty()) << DescribeAll(reading.faults);
  return reading;
}

}  // namespace jettison
