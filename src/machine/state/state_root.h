#pragma once

#include <cstdint>
#include <functional>
#include <string>

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

// Where the agent keeps what the next agent has to know.
struct StatePlace {
  std::string folder;
  // Why nothing can be written there, and what to do; empty: it can be.
  std::string problem = "";
  // The disk of the root is read-only, full or broken: nothing can be made in it, not even a lock.
  bool root_fails = false;
};

// The configuration to run by, and where the state goes.
struct OpenedRoot {
  AgentConfig config;
  StatePlace state;
};

// Whether what an agent with this configuration needs in its root is there and can be written.
[[nodiscard]] bool CanWriteRoot(const AgentConfig& config);

// The lock on the group of all pods is held already (machine/cgroups/guarded_groups.h): an agent
// that is refused because another one guards the pods has not touched the state of that one.
//
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
// The configuration to run by then names that root.
//
// While the disk of the root is read-only, full or broken, so that what is missing in it cannot be
// made, the agent goes on all the same with what it can read there (`root_fails`). Errors say what
// to do. `wait` lets the caller's thread rest.
[[nodiscard]] Result<OpenedRoot> OpenStateRoot(const AgentConfig& config, const Log& log,
                                               const RootWait& wait = RestFor);

}  // namespace jettison
