#pragma once

#include "containers/listing.h"
#include "sources/foreign/foreign_pod_value.h"

namespace jettison::cri {

// What a sandbox of CRI says of its pod; the key is its ID.
[[nodiscard]] ForeignIdentity IdentityOf(const api::PodSandbox& sandbox);

// What CRI says of a container; what the kernel knows of it is left open.
[[nodiscard]] ForeignContainer ContainerFor(const api::ContainerStatus& status);

}  // namespace jettison::cri
