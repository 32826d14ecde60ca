#include "tests/packaging/kustomized.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <vector>

#include "tests/live/program.h"
#include "tests/packaging/objects.h"

namespace jettison {

void Kustomization::SetUp() {
  if (std::string(JETTISON_KUBECTL).empty()) GTEST_SKIP() << "no kubectl";
  Program version({"/bin/sh", "-c", Quoted(JETTISON_KUBECTL) + " version --client"}, {});
  (void)version.Wait();
  // Those before 1.21 have a kustomize that knows no components.
  if (!std::regex_search(version.output(), std::regex("Kustomize Version: v([4-9]|[1-9][0-9])"))) {
    GTEST_SKIP() << "this kubectl is too old: " << version.output();
  }
}

std::map<std::string, Value> Kustomized(const std::string& folder) {
  Program kubectl(
      {"/bin/sh", "-c", fmt::format("{} kustomize {}", Quoted(JETTISON_KUBECTL), Quoted(folder))},
      {});
  EXPECT_EQ(kubectl.Wait(), 0) << kubectl.output();
  const std::string plain = std::regex_replace(
      kubectl.output(), std::regex("name: (jettison(-drop-ins)?)-[a-z0-9]{10}\n"), "name: $1\n");
  return ByName(Documents(plain, folder));
}

std::map<std::string, Value> KustomizedText(const std::string& text,
                                            const std::map<std::string, std::string>& files) {
  const TemporaryFolder folder;
  // Kustomize takes relative paths alone.
  const std::string packaging =
      std::filesystem::relative(std::string(JETTISON_SOURCE) + "/packaging", folder.path());
  std::ofstream(folder.path() + "/kustomization.yaml")
      << std::regex_replace(text, std::regex(R"(\.\./packaging)"), packaging);
  for (const auto& [name, content] : files) std::ofstream(folder.path() + "/" + name) << content;
  return Kustomized(folder.path());
}

// The member's name has a dot in it, which paths cannot say.
std::string ConfigurationOf(const std::map<std::string, Value>& objects) {
  const Value* text = objects.at("ConfigMap jettison").Find("data")->Find("jettison.yaml");
  return text == nullptr || text->AsString() == nullptr ? std::string() : *text->AsString();
}

std::map<std::string, std::string> DropInsOf(const std::map<std::string, Value>& objects) {
  std::map<std::string, std::string> drop_ins;
  const Value* data = objects.at("ConfigMap jettison-drop-ins").Find("data");
  if (data == nullptr || data->AsMap() == nullptr) return drop_ins;
  for (const auto& [name, text] : *data->AsMap()) drop_ins[name] = TextAt(text, "");
  return drop_ins;
}

std::string ArgumentsOf(const Value& daemon_set) {
  return fmt::format("{}",
                     fmt::join(TextsAt(daemon_set, "spec.template.spec.containers.0.args"), " "));
}

ConfigReading Configuration(const std::string& text,
                            const std::map<std::string, std::string>& drop_ins) {
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
