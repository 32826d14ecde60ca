#pragma once

#include <string>
#include <vector>

#include "core/config/agent_config.h"
#include "sources/foreign/foreign_finding.h"
#include "sources/kubernetes/objects/api_pod.h"
#include "sources/kubernetes/pods/kubelet_groups.h"

namespace jettison::kube {

// Where a kubelet keeps the files of pods, and how pods of DaemonSets and Jobs are treated.
struct KubeletPlaces {
  std::string directory = "/var/lib/kubelet";
  std::string pod_logs = "/var/log/pods";
  bool evict_daemon_sets = false;
  JobEnding jobs = JobEnding::kKill;
};

// A pod of a kubelet without its containers, from its API object alone.
[[nodiscard]] ForeignFinding FindingOf(const ApiPod& pod, const KubeletPlaces& kubelet);

// The pod's own containers among those that were seen in its groups, each with its name. The
// sandbox, which started first and is not in the pod's status, is left out, and so are ephemeral
// containers (kubectl debug). A container that the status does not contain yet gets the name of one
// that is missing, since the containers of a pod start in the order of its specification.
[[nodiscard]] std::vector<ForeignContainer> ContainersOf(const ApiPod& pod,
                                                         const std::vector<SeenContainer>& seen,
                                                         const KubeletPlaces& kubelet);

}  // namespace jettison::kube
