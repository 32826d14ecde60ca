#pragma once

#include <string>
#include <vector>

#include "cli/host_check.h"
#include "config/agent_config.h"

namespace jettison {

// What the kernel offers: privileges, controllers, the node's group, notifications, killing, stall
// figures. Tries things on a group of its own, which is gone afterwards.
[[nodiscard]] std::vector<HostCheck> KernelChecks(const AgentConfig& config);

// What the machine is like: memory, swap, process ids, the file system of the agent's root, the
// container runtime, and what the agent may do to its own processes.
[[nodiscard]] std::vector<HostCheck> NodeChecks(const AgentConfig& config);

// Which of the node's file systems are one, by where a runtime says that its images and its
// writable layers are. `images` empty: it has none; `layers` empty: they are beside the images.
[[nodiscard]] HostCheck DiskLayoutCheck(const AgentConfig& config, const std::string& images,
                                        const std::string& layers);

}  // namespace jettison
