#include "machine/pods/open_pods.h"

#include <string>
#include <utility>

#include "machine/pods/pods_of_node.h"
#include "sources/containerd/containerd_source.h"

namespace jettison {

Result<std::unique_ptr<ContainerRuntime>> WithForeignPods(std::unique_ptr<CriRuntime> runtime,
                                                          CriDependencies dependencies) {
  const CriRuntimeOptions options = Tidied(dependencies.options);
  CriRuntime& own = *runtime;
  auto pods = PodsOfNode::Open(std::move(runtime), {.processes = std::move(dependencies.processes),
                                                    .cgroups = dependencies.cgroups,
                                                    .group_end = dependencies.group_end,
                                                    .clock = dependencies.clock,
                                                    .cgroup_prefix = options.cgroup_prefix,
                                                    .group_names = options.cgroup_driver,
                                                    .request_timeout = options.request_timeout,
                                                    .log = options.log});
  if (!pods) return Fail(pods.error());
  PodsOfNode& all = **pods;
  auto source = std::make_unique<cri::ContainerdSource>(
      dependencies.calls, all.source_dependencies(),
      cri::ContainerdRules{.root = options.root,
                           .adopt = dependencies.adopt,
                           .has = [&all](const std::string& uid) { return all.IsOwn(uid); }});
  own.SetListener(
      [found = source.get()](const cri::Listing& listing) { found->OnListed(listing); });
  all.Add(std::move(source));
  return std::move(*pods);
}

}  // namespace jettison
