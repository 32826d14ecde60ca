#include "machine/pods/open_pods.h"

#include <string>
#include <utility>

#include "sources/containerd/containerd_source.h"
#include "sources/kubernetes/pods/kubernetes_source.h"

namespace jettison {

// Each source beside the runtime is added here.
Result<std::unique_ptr<ContainerRuntime>> WithForeignPods(std::unique_ptr<CriRuntime> runtime,
                                                          CriDependencies dependencies) {
  auto readiness = kernel::Readiness::Create();
  if (!readiness) return Fail(readiness.error());
  const CriRuntimeOptions options = Tidied(dependencies.options);
  CriRuntime& own = *runtime;
  auto pods = std::make_unique<PodsOfNode>(
      std::move(runtime), ProcessDependencies{.processes = std::move(dependencies.processes),
                                              .readiness = std::move(*readiness),
                                              .cgroups = dependencies.cgroups,
                                              .group_end = dependencies.group_end,
                                              .clock = dependencies.clock,
                                              .request_timeout = options.request_timeout,
                                              .log = options.log});
  const NodeGroups groups{.processes = pods->run_edges().processes,
                          .cgroups = dependencies.cgroups,
                          .prefix = options.cgroup_prefix,
                          .names = options.cgroup_driver};
  auto containerd = std::make_unique<cri::ContainerdSource>(
      dependencies.calls, pods->run_edges(), groups, pods->roster(),
      cri::ContainerdRules{
          .root = options.root,
          .adopt = dependencies.adopt,
          .has = [all = pods.get()](const std::string& uid) { return all->IsOwn(uid); }});
  own.SetListener(
      [told = containerd.get()](const cri::Listing& listing) { told->OnListed(listing); });
  pods->Add(std::move(containerd));
  return pods;
}

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
