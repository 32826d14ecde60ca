#pragma once

#include <string>
#include <vector>

#include "core/config/agent_config.h"

namespace jettison {

// The result of reading the configuration again.
struct ConfigChanges {
  AgentConfig config;                     // that holds from now on
  std::vector<std::string> at_once;       // settings that have changed in it
  std::vector<std::string> need_restart;  // settings that differ, and hold as they were
};

// Returns `running` with the names that `read` has for the files of certificates and tokens. A file
// that only one of the two names is as in `running`, because to add or remove one needs a restart.
[[nodiscard]] HttpConfig WithFilesOf(HttpConfig running, const HttpConfig& read);

// Returns `running` with the settings of `read` that can take effect at once: thresholds with their
// grace periods and minimum reclaims, the transition period of conditions, the longest grace period
// of pods, hooks, the log level, and the files that certificates and tokens are read from. If
// enforceNodeAllocatable changes, the thresholds wait for the restart as well. Settings are named
// as in a configuration file, in a fixed order.
[[nodiscard]] ConfigChanges ChangesOf(const AgentConfig& running, const AgentConfig& read);

}  // namespace jettison
