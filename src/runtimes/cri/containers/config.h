#pragma once

#include <cri.pb.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/pod.h"
#include "core/units/result.h"
#include "ports/cgroups.h"

namespace jettison::cri {

namespace api = ::runtime::v1;

// Everything that a pod's sandbox is made from.
struct SandboxPlan {
  const Pod& pod;
  std::uint32_t attempt = 0;
  bool host_network = false;
  std::string cgroup_parent;  // an absolute path
  std::string log_directory;
  std::string root;  // of the agent
};

// The sandbox as the kubelet asks for one (generatePodSandboxConfig), with annotations of ours by
// which an agent that starts finds its pod again; the pod itself is added where it is made.
[[nodiscard]] api::PodSandboxConfig SandboxConfigOf(const SandboxPlan& plan);

// What is known of the image of a container.
struct ImageFacts {
  std::string id;
  std::optional<std::int64_t> user;  // whom the image runs as, where it says so by number
  std::string user_name;             // or by name
  std::optional<int> stop_signal;
};

// A folder or file of the host that a container sees.
struct HostMount {
  std::string host_path;
  std::string container_path;
  bool read_only = false;
};

// Everything that one run of a container is made from.
struct ContainerPlan {
  const Pod& pod;
  const Container& container;
  int attempt = 0;
  int oom_score_adj = 0;
  bool host_network = false;
  const ImageFacts& image;
  std::vector<HostMount> mounts;
  CgroupLimits limits;
};

// Refuses a container that must not run as root (runAsNonRoot, its own or the pod's) and would, or
// of which that is not known. An image that names no user is root's. (kubelet: verifyRunAsNonRoot,
// in its words)
[[nodiscard]] Result<void> CheckNonRoot(const Pod& pod, const Container& container,
                                        const ImageFacts& image);

// The container as the kubelet asks for one (generateContainerConfig). Command, arguments and
// values are expanded with the container's variables; an empty command leaves the image's.
[[nodiscard]] api::ContainerConfig ContainerConfigOf(const ContainerPlan& plan);

}  // namespace jettison::cri
