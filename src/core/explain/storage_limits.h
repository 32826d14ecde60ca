#pragma once

#include <optional>
#include <vector>

#include "core/decide/local_storage.h"
#include "core/explanation/explanation.h"
#include "core/model/threshold.h"
#include "core/pods/pod_facts.h"

namespace jettison {

// Every limit of local storage that a pod has, in the order in which they are checked; `broken` is
// the violation for which it is evicted, if there is one.
[[nodiscard]] std::vector<StorageLimitFacts> StorageLimitsOf(
    const ActivePod& pod, DiskLayout layout, const std::optional<StorageViolation>& broken);

// The limit that a violation is about.
[[nodiscard]] StorageLimitFacts LimitOf(const ActivePod& pod, const StorageViolation& violation,
                                        DiskLayout layout);

}  // namespace jettison
