#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison::cri {

class Calls;

// How much others have on a container runtime.
struct ForeignFacts {
  std::size_t sandboxes = 0;  // that are ready, and no agent's of this root
  // Whether the runtime has containerd's own API, which tells of what came past CRI.
  bool tells_containers = false;
  // Containers that CRI does not know, running or not, by namespace of containerd.
  std::map<std::string, std::size_t> containers;
};

// Asks a runtime for them, and waits for each answer as long as `patience`. `root`: of the agent.
// Only for a program that does nothing else meanwhile.
[[nodiscard]] Result<ForeignFacts> AskForeign(Calls& calls, const std::string& root,
                                              Duration patience);
// The same over a connection of its own; `endpoint` as Connect has it.
[[nodiscard]] Result<ForeignFacts> AskForeign(const std::string& endpoint, const std::string& root,
                                              Duration patience);

}  // namespace jettison::cri
