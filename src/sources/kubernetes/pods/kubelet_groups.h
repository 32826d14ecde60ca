#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "core/model/cgroup_driver.h"
#include "core/units/result.h"
#include "sources/foreign/foreign_group.h"
#include "sources/kubernetes/objects/api_pod.h"

namespace jettison::kube {

// What the kubelet calls a pod in its own tree of groups and folders: its UID; where it only
// mirrors a static pod, the hash of the manifest, which is the UID of the pod that runs.
[[nodiscard]] std::string LocalUidOf(const ApiPod& pod);

// The group of the pod as the kubelet lays it out.
[[nodiscard]] std::string PodGroupOf(const ApiPod& pod, CgroupDriver driver);

// The group of a container below its pod's, by the container's ID. kNotFound: there is none.
[[nodiscard]] Result<std::string> ContainerGroupIn(Cgroups& cgroups, const std::string& pod_group,
                                                   std::string_view id);

// The first process of a container by its group: of those whose parent is not in the group (the
// container's own, and what was brought in later with exec) the one that began first. Absent where
// nothing runs there.
[[nodiscard]] std::optional<pid_t> FirstProcessIn(const NodeGroups& node, const std::string& group);

}  // namespace jettison::kube
