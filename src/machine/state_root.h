#pragma once

#include <cstdint>
#include <functional>

#include "agent/log/log.h"
#include "core/config/agent_config.h"
#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison {

// The version of the state that this program keeps below `root`. It is raised when an earlier
// program could not continue with the state of this one: it would start a pod twice, or lose a pod
// or its records.
inline constexpr std::uint64_t kStateVersion = 1;

using RootWait = std::function<void(Duration)>;
void RestFor(Duration duration);

// Makes the root directory, sees that it can be written, and looks at the version of what it holds,
// which the file `state-version` in it says. Where there is no such file, the state is of version
// 1, which no program before wrote down; the file is made, and room for the next one beside it.
//
// A `state-version` that cannot be read, for example because of EIO, is tried for a second, and
// then taken to be the known version. State of a newer version, or of one that cannot be
// understood, is neither changed nor added to:
//   - an agent with pods of its own does not start (kInternal), because it would start those a
//     second time, or remove what it does not understand;
//   - one that guards foreign pods alone, where `root` holds no pod either, goes on with a root
//     of its own in it, `version-1`, because the node is worth more than the records of before.
// Returned is the configuration to run by, which names that root. Other errors say what to do.
// `wait` lets the caller's thread rest.
[[nodiscard]] Result<AgentConfig> OpenStateRoot(const AgentConfig& config, const Log& log,
                                                const RootWait& wait = RestFor);

}  // namespace jettison
