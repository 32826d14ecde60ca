#pragma once

#include <string>
#include <vector>

#include "core/config/read_config.h"

namespace jettison {

// Reads the configuration that these files make together: YAML or JSON, several documents a file.
// A file that cannot be read or parsed is a fault like any other, and the rest is read all the
// same, so that one run names everything there is to mend.
[[nodiscard]] ConfigReading ReadConfigFiles(const std::vector<std::string>& files);

// The same for an agent that runs: a file without a document, which is what one looks like that is
// being written, is a fault.
[[nodiscard]] ConfigReading ReadConfigFilesAgain(const std::vector<std::string>& files);

}  // namespace jettison
