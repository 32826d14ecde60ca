#pragma once

#include "core/model/summary.h"

namespace jettison {

// Works it out from the figures of the pod, of its containers and of its volumes.
[[nodiscard]] MostOnDisk MostOnDiskOf(const PodStats& pod);

}  // namespace jettison
