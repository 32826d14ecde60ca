#pragma once

#include <string>

#include "core/config/read_config.h"
#include "core/model/fault.h"

namespace jettison {

// Why this configuration cannot be run.
[[nodiscard]] Faults AllFaults(const ConfigReading& reading);

// What `check-config` prints for programs: the thresholds as parsed (containerfs.* not yet
// replaced), those of the kubelet beside, percentages as fractions, the whole configuration in the
// form of /configz, what holds from which drop-in, warnings and faults. Where there are faults it
// has neither thresholds of its own nor the configuration.
[[nodiscard]] std::string ConfigAsJson(const ConfigReading& reading);

// The same for people: the policy as tables and sentences, or the faults, one a line.
[[nodiscard]] std::string ConfigAsText(const ConfigReading& reading);

}  // namespace jettison
