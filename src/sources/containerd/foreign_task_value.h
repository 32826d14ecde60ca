#pragma once

#include <set>
#include <string>
#include <string_view>

#include "rpc/containerd_calls.h"
#include "sources/foreign/foreign_pod_value.h"
#include "sources/foreign/foreign_spec.h"

namespace jettison::cri {

// Whether containerd accepts this as the name of a namespace or a container: letters and digits
// with single [._-] between them, 76 characters at most. (containerd: identifiers)
[[nodiscard]] bool IsIdentifier(std::string_view name);

// Whether the container was created through CRI, which then lists it.
[[nodiscard]] bool IsOfCri(const containers_api::Container& container);

// Requests all containers that were not created through CRI, except those with these IDs. Leaving
// containers out saves traffic: each comes with its specification, which takes some KiB.
[[nodiscard]] containers_api::ListContainersRequest ContainersOutsideCri(
    const std::set<std::string>& except = {});

// The key of the pod that consists of the container with this ID. It is unique on the node,
// whatever the namespace.
[[nodiscard]] std::string KeyOf(const std::string& in_namespace, const std::string& id);

// The identity of the pod that consists of this container. Its UID is the container's ID; its name
// is the one that nerdctl gave, otherwise the ID; its namespace is containerd's. The labels, and
// the annotations of the specification, are the container's own, so those of Kubernetes and of
// jettison.io take effect.
[[nodiscard]] ForeignIdentity IdentityOf(const std::string& in_namespace,
                                         const containers_api::Container& container,
                                         const ContainerSpec& spec);

// The container, as far as containerd's record tells.
[[nodiscard]] ForeignContainer ContainerFor(const containers_api::Container& container,
                                            const ContainerSpec& spec);

}  // namespace jettison::cri
