#include "machine/pods/kubelet_pods.h"

#include <utility>

#include "machine/pods/no_own_pods.h"
#include "sources/kubernetes/pods/kubernetes_source.h"

namespace jettison {

Result<std::unique_ptr<ContainerRuntime>> OpenKubeletPods(KubeletPodsSetup beside) {
  auto readiness = kernel::Readiness::Create();
  if (!readiness) return Fail(readiness.error());
  auto pods = std::make_unique<PodsOfNode>(std::make_unique<NoOwnPods>(std::move(beside.calls)),
                                           OthersEdges{.processes = std::move(beside.processes),
                                                       .readiness = std::move(*readiness),
                                                       .cgroups = beside.cgroups,
                                                       .group_end = beside.group_end,
                                                       .clock = beside.clock,
                                                       .log = std::move(beside.log)});
  const NodeGroups groups{.processes = pods->run_edges().processes,
                          .cgroups = beside.cgroups,
                          .prefix = std::move(beside.cgroup_prefix),
                          .names = std::move(beside.group_names)};
  pods->Add(std::make_unique<kube::KubernetesSource>(beside.feed, pods->run_edges(), groups,
                                                     pods->roster(), std::move(beside.places)));
  return pods;
}

}  // namespace jettison
