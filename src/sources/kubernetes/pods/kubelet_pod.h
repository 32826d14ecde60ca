#pragma once

#include <string>
#include <vector>

#include "core/config/kubernetes_configuration.h"
#include "sources/foreign/foreign_finding.h"
#include "sources/kubernetes/objects/api_pod.h"
#include "sources/kubernetes/pods/kubelet_groups.h"

namespace jettison::kube {

// What is known of a kubelet beside the pods that it runs.
struct KubeletPlaces {
  std::string directory = "/var/lib/kubelet";
  std::string pod_logs = "/var/log/pods";
  bool evict_daemon_sets = false;
  JobEnding jobs = JobEnding::kKill;
};

// A pod of a kubelet but for its containers, by its object alone.
[[nodiscard]] ForeignFinding FindingOf(const ApiPod& pod, const KubeletPlaces& kubelet);

// Those of what runs in the pod's groups that are its containers, each with its name. The sandbox
// is what began first and is none by the pod's status; so is what was added to look into the pod
// (kubectl debug). What the status does not tell yet, because it has just been started, gets the
// name of a container that is not there: those of a pod begin in the order of its specification.
[[nodiscard]] std::vector<ForeignContainer> ContainersOf(const ApiPod& pod,
                                                         const std::vector<SeenContainer>& seen,
                                                         const KubeletPlaces& kubelet);

}  // namespace jettison::kube
