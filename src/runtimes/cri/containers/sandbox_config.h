#pragma once

#include <cri.pb.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/pod.h"

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

// The namespaces that the pod shares with the host, for sandbox and containers alike.
[[nodiscard]] api::NamespaceOption NamespacesOf(const Pod& pod, bool host_network);

// Groups that all processes of the pod are in, besides their own.
[[nodiscard]] std::vector<std::int64_t> SupplementalGroupsOf(const Pod& pod);

[[nodiscard]] api::SecurityProfile ProfileOf(SeccompProfile profile);

}  // namespace jettison::cri
