#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison::cri {

class Calls;

// How many foreign pods and containers a container runtime has.
struct ForeignFacts {
  std::size_t sandboxes = 0;  // ready ones that no agent with this root made
  // Whether the runtime has containerd's own API, which lists containers that were not created
  // through CRI.
  bool tells_containers = false;
  // Containers that CRI does not know, running or not, by namespace of containerd.
  std::map<std::string, std::size_t> containers;
  // Why those of a namespace cannot be counted. A namespace may have more than a message holds.
  std::map<std::string, std::string> uncounted;
};

// Asks a runtime for these facts, and waits at most `patience` for each answer. `root` is that of
// the agent. Blocks, so only for a program that does nothing else meanwhile.
[[nodiscard]] Result<ForeignFacts> AskForeign(Calls& calls, const std::string& root,
                                              Duration patience);
// The same over its own connection; for the form of `endpoint` see Connect.
[[nodiscard]] Result<ForeignFacts> AskForeign(const std::string& endpoint, const std::string& root,
                                              Duration patience);

}  // namespace jettison::cri
