#include "sources/containerd/foreign_facts.h"

#include <algorithm>

#include "containers/labels.h"
#include "rpc/await.h"
#include "rpc/calls.h"
#include "rpc/client.h"
#include "sources/containerd/foreign_task_value.h"

namespace jettison::cri {
namespace {

bool IsOfOthers(const api::PodSandbox& sandbox, const std::string& root) {
  const auto its = sandbox.annotations().find(std::string(kRootAnnotation));
  return sandbox.state() == api::SANDBOX_READY &&
         (its == sandbox.annotations().end() || its->second != root);
}

Result<void> CountContainers(Calls& calls, Duration patience, ForeignFacts& facts) {
  ContainerdCalls* const containerd = calls.containerd();
  if (containerd == nullptr) return {};
  const auto namespaces = AwaitAnswer<namespaces_api::ListNamespacesResponse>(
      calls, patience, [&](const auto& answer) { containerd->ListNamespaces(patience, answer); });
  if (!namespaces && namespaces.error().code == ErrorCode::kNotFound) return {};
  if (!namespaces) return Fail(namespaces.error());
  facts.tells_containers = true;
  for (const namespaces_api::Namespace& listed : namespaces->namespaces()) {
    if (!IsIdentifier(listed.name())) continue;
    const auto containers = AwaitAnswer<containers_api::ListContainersResponse>(
        calls, patience, [&](const auto& answer) {
          containerd->ListContainersIn(listed.name(), ContainersOutsideCri(), patience, answer);
        });
    if (!containers && containers.error().code == ErrorCode::kInternal) {
      facts.uncounted[listed.name()] = containers.error().message;
      continue;
    }
    if (!containers) return Fail(containers.error());
    const auto count = std::ranges::count_if(
        containers->containers(), [](const auto& container) { return !IsOfCri(container); });
    if (count > 0) facts.containers[listed.name()] = static_cast<std::size_t>(count);
  }
  return {};
}

}  // namespace

Result<ForeignFacts> AskForeign(Calls& calls, const std::string& root, Duration patience) {
  const auto sandboxes =
      AwaitAnswer<api::ListPodSandboxResponse>(calls, patience, [&](const auto& answer) {
        calls.ListPodSandbox(api::ListPodSandboxRequest(), patience, answer);
      });
  if (!sandboxes) return Fail(sandboxes.error());
  ForeignFacts facts;
  facts.sandboxes = static_cast<std::size_t>(std::ranges::count_if(
      sandboxes->items(), [&](const auto& sandbox) { return IsOfOthers(sandbox, root); }));
  if (const auto counted = CountContainers(calls, patience, facts); !counted) {
    return Fail(counted.error());
  }
  return facts;
}

Result<ForeignFacts> AskForeign(const std::string& endpoint, const std::string& root,
                                Duration patience) {
  const auto calls = Connect(endpoint);
  if (!calls) return Fail(calls.error());
  return AskForeign(**calls, root, patience);
}

}  // namespace jettison::cri
