#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rpc/containerd_calls.h"
#include "sources/foreign/foreign_pod_value.h"
#include "sources/foreign/foreign_spec.h"

namespace jettison::cri {

// Whether containerd would have a namespace or a container of this name: letters and digits with
// single [._-] between them, 76 characters at most. (containerd: identifiers)
[[nodiscard]] bool IsIdentifier(std::string_view name);

// Whether CRI has made it, and so tells of it.
[[nodiscard]] bool IsOfCri(const containers_api::Container& container);

// Asks for all others, but for those with these IDs: each comes with its specification, of some
// KiB, and CRI tells of its own itself.
[[nodiscard]] containers_api::ListContainersRequest ContainersOutsideCri(
    const std::vector<std::string>& except = {});

// The key of the pod that it is: like no other's, whatever its namespace.
[[nodiscard]] std::string KeyOf(const std::string& in_namespace,
                                const containers_api::Container& container);

// The pod that it is by itself. Its UID is the container's ID; its name the one that nerdctl gave,
// else the ID; its namespace containerd's. Labels and the annotations of the specification are its
// own, so that those of Kubernetes and of jettison.io count.
[[nodiscard]] ForeignIdentity IdentityOf(const std::string& in_namespace,
                                         const containers_api::Container& container,
                                         const ContainerSpec& spec);

// The container, as far as containerd's record tells.
[[nodiscard]] ForeignContainer ContainerFor(const containers_api::Container& container,
                                            const ContainerSpec& spec);

}  // namespace jettison::cri
