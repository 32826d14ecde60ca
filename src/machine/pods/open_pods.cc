#include "machine/pods/open_pods.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sources/containerd/containerd_source.h"
#include "sources/kubernetes/pods/kubernetes_source.h"

namespace jettison {

namespace {

using OpenSource =
    std::function<std::unique_ptr<ForeignSource>(PodsOfNode&, const SourceDependencies&)>;

// Where the node's groups are, and what they are called.
struct GroupsOfNode {
  std::string prefix;
  kernel::GroupNames names;
};

// The pods of a runtime, and those of foreign sources: one row for each.
Result<std::unique_ptr<ContainerRuntime>> Together(std::unique_ptr<OwnRuntime> own,
                                                   ProcessDependencies dependencies,
                                                   const GroupsOfNode& groups,
                                                   const std::vector<OpenSource>& sources) {
  auto readiness = kernel::Readiness::Create();
  if (!readiness) return Fail(readiness.error());
  dependencies.readiness = std::move(*readiness);
  auto pods = std::make_unique<PodsOfNode>(std::move(own), std::move(dependencies));
  for (const OpenSource& open : sources) {
    pods->Add(open(*pods, pods->DependenciesFor(groups.prefix, groups.names)));
  }
  return pods;
}

}  // namespace

Result<std::unique_ptr<ContainerRuntime>> WithForeignPods(std::unique_ptr<CriRuntime> runtime,
                                                          CriDependencies dependencies) {
  const CriRuntimeOptions options = Tidied(dependencies.options);
  CriRuntime& own = *runtime;
  const auto open_containerd = [&](PodsOfNode& all, const SourceDependencies& source_dependencies) {
    auto source = std::make_unique<cri::ContainerdSource>(
        dependencies.calls, source_dependencies,
        cri::ContainerdRules{.root = options.root,
                             .adopt = dependencies.adopt,
                             .has = [&all](const std::string& uid) { return all.IsOwn(uid); }});
    own.SetListener(
        [found = source.get()](const cri::Listing& listing) { found->OnListed(listing); });
    return source;
  };
  return Together(std::move(runtime),
                  {.processes = std::move(dependencies.processes),
                   .cgroups = dependencies.cgroups,
                   .group_end = dependencies.group_end,
                   .clock = dependencies.clock,
                   .request_timeout = options.request_timeout,
                   .log = options.log},
                  {.prefix = options.cgroup_prefix, .names = options.cgroup_driver},
                  {open_containerd});
}

Result<std::unique_ptr<ContainerRuntime>> OpenKubeletPods(KubeletPodsSetup dependencies) {
  const auto open_kubelet = [&](PodsOfNode&, const SourceDependencies& source_dependencies) {
    return std::make_unique<kube::KubernetesSource>(dependencies.feed, source_dependencies,
                                                    std::move(dependencies.places));
  };
  return Together(std::make_unique<NoOwnPods>(std::move(dependencies.calls)),
                  {.processes = std::move(dependencies.processes),
                   .cgroups = dependencies.cgroups,
                   .group_end = dependencies.group_end,
                   .clock = dependencies.clock,
                   .log = std::move(dependencies.log)},
                  {.prefix = std::move(dependencies.cgroup_prefix),
                   .names = std::move(dependencies.group_names)},
                  {open_kubelet});
}

}  // namespace jettison
