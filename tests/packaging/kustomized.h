#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "core/config/read_config.h"
#include "core/model/value.h"

namespace jettison {

// Tests that run `kubectl kustomize`; they skip where there is no kubectl that can.
class Kustomization : public testing::Test {
 protected:
  void SetUp() override;
};

// The objects of a kustomization. A name that kustomize made from the content of a ConfigMap is
// without that again.
[[nodiscard]] std::map<std::string, Value> Kustomized(const std::string& folder);

// The objects of a kustomization that says `text` and that lies in a folder of its own beside other
// `files` (content by name). "../packaging" in the text is the project's.
[[nodiscard]] std::map<std::string, Value> KustomizedText(
    const std::string& text, const std::map<std::string, std::string>& files = {});

// jettison.yaml of the ConfigMap `jettison`.
[[nodiscard]] std::string ConfigurationOf(const std::map<std::string, Value>& objects);

// The files of the ConfigMap `jettison-drop-ins`, by name.
[[nodiscard]] std::map<std::string, std::string> DropInsOf(
    const std::map<std::string, Value>& objects);

// What the agent is started with, in one line.
[[nodiscard]] std::string ArgumentsOf(const Value& daemon_set);

// Reads a configuration with its drop-ins, which must have no fault.
[[nodiscard]] ConfigReading Configuration(const std::string& text,
                                          const std::map<std::string, std::string>& drop_ins = {});

}  // namespace jettison
