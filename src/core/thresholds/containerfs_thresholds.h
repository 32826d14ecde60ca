#pragma once

#include <optional>
#include <vector>

#include "core/model/threshold.h"

namespace jettison {

// The signal whose thresholds replace those of this one: of containerfs.* that of nodefs.* or
// imagefs.*, of any other the signal itself.
[[nodiscard]] Signal ContainerFsSource(Signal signal, DiskLayout layout);

// The effective thresholds on a node with this layout. Hard and soft thresholds on containerfs.*
// are always replaced: by those on nodefs.* if there is one file system, or if images and writable
// layers are apart; by those on imagefs.* if images and writable layers share a file system of
// their own. If nodefs or imagefs has no threshold, containerfs has none. The order of the others
// is kept; the replacements come last. `layout` absent: it is not known yet; then it counts as one
// file system, and thresholds on imagefs are left out, because the figures of nodefs in the place
// of those of imagefs could cost a pod its life.
// Source: eviction.UpdateContainerFsThresholds (1.36).
[[nodiscard]] std::vector<Threshold> ThresholdsFor(const std::vector<Threshold>& configured,
                                                   const std::optional<DiskLayout>& layout);

}  // namespace jettison
