#pragma once

// Configurations as texts, and readings of them, for tests.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "codec/documents/documents.h"
#include "core/config/read_config.h"

namespace jettison {

inline constexpr const char* kKubelet =
    "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n";
inline constexpr const char* kJettison =
    "apiVersion: jettison.io/v1alpha1\nkind: JettisonConfiguration\n";

// The documents of a text, as if they stood in `file`.
inline ConfigReading ReadText(const std::string& text, const std::string& file = "/etc/j/c.yaml") {
  const auto documents = ParseDocuments(text);
  if (!documents) {
    ADD_FAILURE() << documents.error().message;
    return {};
  }
  std::vector<ConfigDocument> named;
  for (const Value& document : *documents) named.push_back({file, document});
  return ReadConfig(named);
}

inline ConfigReading Kubelet(const std::string& text) {
  return ReadText(kKubelet + text);
}
inline ConfigReading Jettison(const std::string& text) {
  return ReadText(kJettison + text);
}

inline std::vector<std::string> Described(const Faults& faults) {
  std::vector<std::string> lines;
  for (const Fault& fault : faults) lines.push_back(Describe(fault));
  return lines;
}
inline std::string FirstFault(const ConfigReading& reading) {
  return reading.faults.empty() ? "no fault" : Describe(reading.faults.front());
}
inline std::vector<std::string> Signals(const ConfigReading& reading) {
  std::vector<std::string> names;
  for (const Threshold& t : reading.config.eviction.thresholds) {
    names.emplace_back(NameOf(t.signal));
  }
  return names;
}

}  // namespace jettison
