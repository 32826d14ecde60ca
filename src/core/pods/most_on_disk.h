#pragma once

#include "core/model/summary.h"

namespace jettison {

// Computes MostOnDisk from the figures of the pod, its containers and its volumes.
[[nodiscard]] MostOnDisk MostOnDiskOf(const PodStats& pod);

}  // namespace jettison
