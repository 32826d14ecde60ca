#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/model/threshold.h"
#include "core/pods/pod_facts.h"

namespace jettison {

// A pod over one of its local-storage limits.
struct StorageViolation {
  std::size_t pod = 0;  // index among the active pods
  StorageLimitKind kind = StorageLimitKind::kPod;
  std::size_t index = 0;  // in PodFacts::storage_limits
};

// The pods that must be evicted because they exceed a local-storage limit, in the order of the
// active pods. Left out are protected pods, except those that are only spared, and pods whose disk
// figures are older than the pass. Each pod has at most one violation: emptyDir volumes first, then
// the pod's own limit, then the containers'.
// (kubelet: managerImpl.localStorageEviction)
[[nodiscard]] std::vector<StorageViolation> StorageViolations(std::span<const ActivePod> pods,
                                                              DiskLayout layout);

// What counts for a limit, in bytes: of several figures of one volume the last; of a container its
// logs and, unless images have a file system of their own, its writable layer. Absent: it was not
// measured.
[[nodiscard]] std::optional<std::int64_t> LimitedUse(const PodStats& stats,
                                                     const StorageLimit& limit, DiskLayout layout);

// The kubelet's message for the violation.
[[nodiscard]] std::string ViolationMessage(const PodFacts& facts,
                                           const StorageViolation& violation);

}  // namespace jettison
