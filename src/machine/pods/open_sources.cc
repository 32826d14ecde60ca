#include "machine/pods/open_sources.h"

#include <array>
#include <string>
#include <utility>

#include "sources/containerd/containerd_source.h"

namespace jettison {
namespace {

// What a source is opened with.
struct SourceDependencies {
  PodsOfNode& pods;
  CriRuntime& runtime;
  cri::Calls& calls;
  const NodeGroups& groups;
  const CriRuntimeOptions& options;
  bool adopt;
};
// Null: there is nothing for it to do.
using OpenSource = std::unique_ptr<ForeignSource> (*)(const SourceDependencies&);

std::unique_ptr<ForeignSource> OpenContainerd(const SourceDependencies& dependencies) {
  PodsOfNode& pods = dependencies.pods;
  auto source = std::make_unique<cri::ContainerdSource>(
      dependencies.calls, pods.run_edges(), dependencies.groups, pods.roster(),
      cri::ContainerdRules{.root = dependencies.options.root,
                           .adopt = dependencies.adopt,
                           .has = [&pods](const std::string& uid) { return pods.IsOwn(uid); }});
  dependencies.runtime.SetListener(
      [told = source.get()](const cri::Listing& listing) { told->OnListed(listing); });
  return source;
}

// A row for each source.
constexpr std::array<OpenSource, 1> kSources = {&OpenContainerd};

}  // namespace

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
  for (const OpenSource open : kSources) {
    auto source = open({.pods = *pods,
                        .runtime = own,
                        .calls = dependencies.calls,
                        .groups = groups,
                        .options = options,
                        .adopt = dependencies.adopt});
    if (source) pods->Add(std::move(source));
  }
  return pods;
}

}  // namespace jettison
