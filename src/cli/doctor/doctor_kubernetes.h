#pragma once

#include <string>
#include <vector>

#include "cli/ask/read_documents.h"
#include "cli/doctor/host_check.h"

namespace jettison {

// Which cluster `jettison doctor` asks, and about which node.
struct ClusterQuestion {
  std::string kubeconfig;
  std::string node;           // empty: about none
  ConfigSources config = {};  // that the agent would run with
};

// What a cluster allows the agent: whether its API server answers, in which version, whether the
// node is there, whether our thresholds lie above those of its kubelet, and each right that the
// agent needs. Asks for some seconds at most.
[[nodiscard]] std::vector<HostCheck> KubernetesChecks(const ClusterQuestion& question);

}  // namespace jettison
