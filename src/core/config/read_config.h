#pragma once

#include <string>
#include <vector>

#include "core/config/agent_config.h"
#include "core/model/fault.h"
#include "core/model/value.h"

namespace jettison {

// One document of a configuration file.
struct ConfigDocument {
  std::string file;  // as the user named it; relative paths inside count from its directory
  Value document;
};

// What came of reading a configuration. Where there are faults, `config` holds what could be read
// and must not be run.
struct ConfigReading {
  AgentConfig config;
  Faults warnings;  // things that the author may have meant otherwise, but that do no harm
  Faults faults;    // every one
};

// Reads at most one KubeletConfiguration (kubelet.config.k8s.io/v1beta1) and at most one
// JettisonConfiguration (jettison.io/v1alpha1), in any order; what is not said has its default.
[[nodiscard]] ConfigReading ReadConfig(const std::vector<ConfigDocument>& documents);

}  // namespace jettison
