#include "machine/pods/open_sources.h"

#include <array>
#include <string>
#include <utility>

#include "sources/containerd/containerd_source.h"

namespace jettison {
namespace {

// What a source is opened with.
struct SourceEdges {
  PodsOfNode& pods;
  CriRuntime& runtime;
  cri::Calls& calls;
  const NodeGroups& groups;
  const CriRuntimeOptions& options;
  bool adopt;
};
// Null: there is nothing for it to do.
using OpenSource = std::unique_ptr<ForeignSource> (*)(const SourceEdges&);

std::unique_ptr<ForeignSource> OpenContainerd(const SourceEdges& edges) {
  PodsOfNode& pods = edges.pods;
  auto source = std::make_unique<cri::ContainerdSource>(
      edges.calls, pods.run_edges(), edges.groups, pods.roster(),
      cri::ContainerdRules{.root = edges.options.root,
                           .adopt = edges.adopt,
                           .has = [&pods](const std::string& uid) { return pods.IsOwn(uid); }});
  edges.runtime.SetListener(
      [told = source.get()](const cri::Listing& listing) { told->OnListed(listing); });
  return source;
}

// A row for each source.
constexpr std::array<OpenSource, 1> kSources = {&OpenContainerd};

}  // namespace

Result<std::unique_ptr<ContainerRuntime>> WithForeignPods(std::unique_ptr<CriRuntime> runtime,
                                                          BesideCri beside) {
  auto readiness = kernel::Readiness::Create();
  if (!readiness) return Fail(readiness.error());
  const CriRuntimeOptions options = Tidied(beside.options);
  CriRuntime& own = *runtime;
  auto pods = std::make_unique<PodsOfNode>(std::move(runtime),
                                           OthersEdges{.processes = std::move(beside.processes),
                                                       .readiness = std::move(*readiness),
                                                       .cgroups = beside.cgroups,
                                                       .group_end = beside.group_end,
                                                       .clock = beside.clock,
                                                       .request_timeout = options.request_timeout,
                                                       .log = options.log});
  const NodeGroups groups{.processes = pods->run_edges().processes,
                          .cgroups = beside.cgroups,
                          .prefix = options.cgroup_prefix,
                          .names = options.cgroup_driver};
  for (const OpenSource open : kSources) {
    auto source = open({.pods = *pods,
                        .runtime = own,
                        .calls = beside.calls,
                        .groups = groups,
                        .options = options,
                        .adopt = beside.adopt});
    if (source) pods->Add(std::move(source));
  }
  return pods;
}

}  // namespace jettison
