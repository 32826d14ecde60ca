#pragma once

#include <string>

#include "view/snapshot.h"

namespace jettison {

// Every pod of the node as a v1.PodList: specification and status, by namespace and name.
[[nodiscard]] std::string PodListJson(const Snapshot& snapshot);

}  // namespace jettison
