#pragma once

#include <cstdint>
#include <optional>

#include "core/config/agent_config.h"
#include "core/model/pod.h"
#include "core/model/summary.h"
#include "core/pods/room.h"

namespace jettison {

// What the node has: processors of this machine, this much memory, and the bytes of nodefs where it
// could be measured.
[[nodiscard]] ResourceList NodeCapacity(std::uint64_t memory_bytes,
                                        const std::optional<FsStats>& node_fs);

// Node allocatable: what the pods' requests may sum up to. A resource whose capacity is not known
// is not limited.
[[nodiscard]] SharedAmounts SharedAmong(const AgentConfig& config, const ResourceList& capacity);

}  // namespace jettison
