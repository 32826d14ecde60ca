#include "machine/pods/guard_trial.h"

#include <fmt/format.h>

#include <memory>
#include <string_view>
#include <utility>
#include <variant>

#include "core/model/pod.h"
#include "kernel/processes/processes.h"
#include "machine/cgroups/host_cgroups.h"
#include "machine/loop/steady_clock.h"
#include "machine/pods/pods_of_node.h"
#include "rpc/calls.h"
#include "rpc/client.h"
#include "sources/containerd/containerd_source.h"

namespace jettison {
namespace {

Result<cri::Listing> ListAll(cri::Calls& calls, Duration patience) {
  auto sandboxes =
      cri::AwaitAnswer<cri::api::ListPodSandboxResponse>(calls, patience, [&](const auto& answer) {
        calls.Make(cri::kListPodSandbox, cri::api::ListPodSandboxRequest(), patience, answer);
      });
  if (!sandboxes) return Fail(sandboxes.error());
  auto containers =
      cri::AwaitAnswer<cri::api::ListContainersResponse>(calls, patience, [&](const auto& answer) {
        calls.Make(cri::kListContainers, cri::api::ListContainersRequest(), patience, answer);
      });
  if (!containers) return Fail(containers.error());
  cri::Listing listing;
  listing.sandboxes.assign(sandboxes->items().begin(), sandboxes->items().end());
  listing.containers.assign(containers->containers().begin(), containers->containers().end());
  return listing;
}

}  // namespace

Result<GuardTrial> TryToGuard(const AgentConfig& config, Duration patience) {
  auto connected = cri::Connect(config.container_runtime_endpoint);
  if (!connected) return Fail(connected.error());
  const std::string node = config.node_cgroup + config.cgroup_root;
  const auto groups = OpenHostCgroups({.node_cgroup = node});
  if (!groups) return Fail(groups.error());
  cri::Calls& calls = **connected;
  GuardTrial trial;
  const SteadyClock clock;
  const auto opened = PodsOfNode::Open(
      std::make_unique<NoOwnPods>(std::move(*connected)),
      {.processes = std::make_unique<HostProcesses>(),
       .cgroups = **groups,
       .group_end = **groups,
       .clock = clock,
       .cgroup_prefix = node,
       .group_names = config.cgroup_driver,
       .request_timeout = patience,
       .log = [&](std::string_view problem) { trial.problems.emplace_back(problem); }});
  if (!opened) return Fail(opened.error());
  PodsOfNode& pods = **opened;
  cri::ContainerdSource source(
      calls, pods.source_dependencies(),
      cri::ContainerdRules{
          .root = config.root, .adopt = true, .has = [](const auto&) { return true; }});
  const auto listing = ListAll(calls, patience);
  if (!listing) return Fail(listing.error());
  source.OnListed(*listing);
  source.Await(patience);
  for (const RuntimeEvent& event : pods.TakeEvents()) {
    const auto* const found = std::get_if<PodFound>(&event);
    if (found == nullptr) continue;
    ++trial.guarded;
    for (const std::string& group : pods.ForeignGroupsOf(found->pod_uid)) {
      const auto memory = (*groups)->ReadMemory(group);
      if (memory) continue;
      --trial.guarded;
      trial.problems.push_back(
          fmt::format("pod {}: {}", FullName(found->pod.pod), memory.error().message));
      break;
    }
  }
  return trial;
}

}  // namespace jettison
