#pragma once

#include <string>
#include <vector>

#include "cli/ask/read_documents.h"
#include "cli/doctor/host_check.h"
#include "sources/kubernetes/credentials/api_access.h"

namespace jettison {

// Which cluster `jettison doctor` asks, and about which node.
struct ClusterQuestion {
  std::string kubeconfig;     // empty: as the service account
  std::string node;           // empty: about none
  ConfigSources config = {};  // that the agent would run with
  kube::ServiceAccount account = kube::OwnServiceAccount();
};

// What a cluster allows the agent: whether its API server answers, in which version, whether the
// node is there, whether our thresholds lie above those of its kubelet, and each right that the
// agent needs. Asks for some seconds at most.
[[nodiscard]] std::vector<HostCheck> KubernetesChecks(const ClusterQuestion& question);

}  // namespace jettison
