#include "machine/pods/kubelet_pods.h"

#include <utility>

#include "machine/pods/pods_of_node.h"
#include "sources/kubernetes/pods/kubernetes_source.h"

namespace jettison {

Result<std::unique_ptr<ContainerRuntime>> OpenKubeletPods(KubeletPodsSetup dependencies) {
  auto readiness = kernel::Readiness::Create();
  if (!readiness) return Fail(readiness.error());
  auto pods = std::make_unique<PodsOfNode>(
      std::make_unique<NoOwnPods>(std::move(dependencies.calls)),
      ProcessDependencies{.processes = std::move(dependencies.processes),
                          .readiness = std::move(*readiness),
                          .cgroups = dependencies.cgroups,
                          .group_end = dependencies.group_end,
                          .clock = dependencies.clock,
                          .log = std::move(dependencies.log)});
  const NodeGroups groups{.processes = pods->run_edges().processes,
                          .cgroups = dependencies.cgroups,
                          .prefix = std::move(dependencies.cgroup_prefix),
                          .names = std::move(dependencies.group_names)};
  pods->Add(std::make_unique<kube::KubernetesSource>(dependencies.feed, pods->run_edges(), groups,
                                                     pods->roster(),
                                                     std::move(dependencies.places)));
  return pods;
}

}  // namespace jettison
