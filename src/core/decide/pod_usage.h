#pragma once

#include <cstdint>
#include <optional>

#include "core/model/signal.h"
#include "core/model/threshold.h"
#include "core/pods/pod_facts.h"

namespace jettison {

// The pod's request that ranking compares its usage with: bytes of memory or ephemeral storage, in
// billionths; 0 for resources that cannot be requested.
[[nodiscard]] Nanos RequestFor(const PodFacts& facts, Resource resource);

// What ranking counts as the pod's usage, in the unit of the signal; absent where that is unknown.
[[nodiscard]] std::optional<std::int64_t> UsageOf(const ActivePod& pod, Signal signal,
                                                  DiskLayout layout);

}  // namespace jettison
