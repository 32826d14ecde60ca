#pragma once

#include <string>

#include "containers/run_edges.h"
#include "core/config/kubernetes_configuration.h"
#include "sources/foreign/foreign_finding.h"
#include "sources/kubernetes/objects/api_pod.h"

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

// A container of it by the object alone: without group and process.
[[nodiscard]] ForeignContainer ContainerOf(const ApiPod& pod, const ContainerStatus& status,
                                           const KubeletPlaces& kubelet);

}  // namespace jettison::kube
