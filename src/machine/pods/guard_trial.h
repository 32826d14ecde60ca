#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/config/agent_config.h"
#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison {

// Which foreign pods on a container runtime an agent with this configuration would guard.
struct GuardTrial {
  std::size_t guarded = 0;            // found, with groups whose figures can be read
  std::vector<std::string> problems;  // what is not guarded, or not as a whole: a sentence each
};

// Looks for them as the agent does, and reads their figures; ends nothing. Waits at most `patience`
// for each answer of the runtime. Fails where it does not answer, or the control groups cannot be
// opened. Blocks, so only for a program that does nothing else meanwhile.
[[nodiscard]] Result<GuardTrial> TryToGuard(const AgentConfig& config, Duration patience);

}  // namespace jettison
