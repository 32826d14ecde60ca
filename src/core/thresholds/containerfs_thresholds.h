#pragma once

#include <vector>

#include "core/model/threshold.h"

namespace jettison {

// The thresholds that hold on a node with this layout: containerfs.* is always replaced, hard and
// soft alike, by nodefs' on one file system or a split one, by imagefs' where images and writable
// layers share a file system of their own. Where the source has no threshold, containerfs has none.
// The order of the others is kept; the replacements come last.
// Source: eviction.UpdateContainerFsThresholds (1.36).
[[nodiscard]] std::vector<Threshold> ThresholdsFor(const std::vector<Threshold>& configured,
                                                   DiskLayout layout);

}  // namespace jettison
