#pragma once

#include <vector>

#include "core/model/threshold.h"

namespace jettison {

// The effective thresholds on a node with this layout. Hard and soft thresholds on containerfs.*
// are always replaced: by those on nodefs.* if there is one file system, or if images and writable
// layers are apart; by those on imagefs.* if images and writable layers share a file system of
// their own. If nodefs or imagefs has no threshold, containerfs has none. The order of the others
// is kept; the replacements come last.
// Source: eviction.UpdateContainerFsThresholds (1.36).
[[nodiscard]] std::vector<Threshold> ThresholdsFor(const std::vector<Threshold>& configured,
                                                   DiskLayout layout);

// The same without those on imagefs: while it is not known which file system that is.
[[nodiscard]] std::vector<Threshold> WithoutImageFs(std::vector<Threshold> thresholds);

}  // namespace jettison
