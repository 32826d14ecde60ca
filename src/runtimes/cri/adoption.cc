#include "runtimes/cri/adoption.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "runtimes/cri/containers/sandboxes.h"

namespace jettison::cri {

std::vector<RuntimePod> Adoption::Recall() {
  std::vector<RuntimePod> recalled;
  const auto known = [this](const std::string& uid) { return pods_.Has(uid); };
  for (WrittenPod& written : ReadPodRecords(context_, known)) {
    auto actor = std::make_unique<PodActor>(context_, written.plan);
    auto running = actor->Recall(written.record);
    if (running.empty()) continue;
    pods_.Add(std::move(actor));
    recalled.push_back({.pod = *written.plan.pod, .containers = std::move(running)});
  }
  return recalled;
}

std::vector<RuntimePod> Adoption::TakeOverAll(const Found& found, const OnFailure& failed) {
  std::vector<RuntimePod> adopted;
  for (const auto& [uid, sandboxes] : OwnSandboxes(context_, found.listing)) {
    // A pod that was recalled and has been ended since is not taken over again. Its sandbox may
    // have been removed after the runtime made its listing.
    const PodActor* const recalled = pods_.Find(uid);
    if (gone_.contains(uid) || (recalled != nullptr && recalled->removing())) continue;
    const auto plan =
        recalled != nullptr ? recalled->plan() : ReadDescription(context_, uid, sandboxes);
    if (!plan) {
      failed(uid, sandboxes, plan.error());
    } else {
      adopted.push_back(TakeOver(*plan, sandboxes, found));
    }
  }
  gone_.clear();
  return adopted;
}

RuntimePod Adoption::TakeOver(const PodPlan& plan, const Sandboxes& sandboxes, const Found& found) {
  PodActor* const known = pods_.Find(plan.pod->uid);
  PodActor& actor = known != nullptr ? *known : pods_.Add(plan);
  const api::PodSandbox& sandbox = *sandboxes.front();
  actor.Adopt({.id = sandbox.id(),
               .attempt = sandbox.metadata().attempt(),
               .host_network = IsInHostNetwork(context_, sandbox)},
              sandbox.state() == api::SANDBOX_READY);
  // In the order of attempts, because the newest run of a container counts.
  std::vector<const api::ContainerStatusResponse*> own;
  for (const api::Container& container : found.listing.containers) {
    if (container.pod_sandbox_id() != sandbox.id()) continue;
    const auto status = found.statuses.find(container.id());
    if (status != found.statuses.end()) own.push_back(&status->second);
  }
  std::sort(own.begin(), own.end(), [](const auto* a, const auto* b) {
    return a->status().metadata().attempt() < b->status().metadata().attempt();
  });
  RuntimePod adopted{.pod = *plan.pod};
  for (const api::ContainerStatusResponse* container : own) {
    if (auto record = actor.runs().Adopt(*container)) {
      record->of_earlier_life = sandbox.state() != api::SANDBOX_READY;
      adopted.containers.push_back(std::move(*record));
    }
  }
  return adopted;
}

// Running containers continue; the next ones are started in a new sandbox.
RuntimePod Adoption::TakeOver(const WrittenPod& written) {
  PodActor& actor = pods_.Add(written.plan);
  RuntimePod adopted{.pod = *written.plan.pod, .containers = actor.Recall(written.record)};
  actor.LoseSandbox();
  return adopted;
}

std::vector<RuntimePod> Adoption::TakeOverUnlisted(
    const std::map<std::string, Sandboxes>& listed,
    const std::function<bool(const std::string&)>& observed) {
  const auto known = [&](const std::string& uid) { return pods_.Has(uid) || observed(uid); };
  for (const WrittenPod& written : ReadPodRecords(context_, known)) {
    if (!listed.contains(written.plan.pod->uid))
      (void)pods_.Add(written.plan).Recall(written.record);
  }
  std::vector<RuntimePod> adopted;
  for (const auto& [uid, actor] : pods_.actors()) {
    if (listed.contains(uid) || actor->removing()) continue;
    actor->LoseSandbox();
    adopted.push_back({.pod = *actor->plan().pod, .containers = actor->runs().Running()});
  }
  if (adopted.empty()) return adopted;
  context_.Log(
      fmt::format("the container runtime does not know {} pods that this agent created; what still "
                  "runs of them is guarded, and what ends is started again; make sure that "
                  "containerRuntimeEndpoint names the runtime on which they were created",
                  adopted.size()));
  return adopted;
}

}  // namespace jettison::cri
