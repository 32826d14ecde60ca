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
  for (const auto& [uid, sandboxes] : OwnSandboxes(context_, found.own)) {
    // A pod that was recalled and has been ended since is not taken over again. Its sandbox may
    // have been removed after the runtime made its listing.
    const PodActor* const recalled = pods_.Find(uid);
    if (gone_.contains(uid) || (recalled != nullptr && recalled->removing())) continue;
    const auto plan =
        recalled != nullptr ? recalled->plan() : ReadDescription(context_, uid, sandboxes);
    if (!plan) {
      failed(uid, sandboxes, plan.error());
    } else if (const Error* const why = found.WhyUnknown(sandboxes)) {
      failed(uid, sandboxes, *why);
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
  for (std::size_t i = 0; i < found.statuses.size(); ++i) {
    const bool within = found.own.containers[i].pod_sandbox_id() == sandbox.id();
    if (within && found.statuses[i].has_status()) own.push_back(&found.statuses[i]);
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
    const std::set<std::string>& listed, const std::function<bool(const std::string&)>& observed) {
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

PodActor* RecalledPods::Find(const std::string& uid) const {
  PodActor* const pod = pods_.Find(uid);
  return pod == nullptr || pod->removing() ? nullptr : pod;
}

void RecalledPods::Enter(const std::string& uid, const Error& error) {
  const PodActor* const pod = Find(uid);
  if (pod == nullptr || !asked_.try_emplace(uid, false).second) return;
  context_.Log(
      fmt::format("pod {} cannot be taken over completely: {}; it is guarded, but none of its "
                  "containers is started again before the container runtime tells their status. If "
                  "it stays so, restart the container runtime",
                  FullName(*pod->plan().pod), error.message));
}

void RecalledPods::OnListed(const Listing& listing) {
  std::erase_if(asked_, [this](const auto& entry) { return Find(entry.first) == nullptr; });
  const auto listed = OwnSandboxes(context_, listing);
  for (const auto& [uid, asked] : std::map(asked_)) {
    const auto own = listed.find(uid);
    if (own == listed.end()) {
      OnLost(*Find(uid));
    } else if (!asked) {
      Ask(uid, own->second, listing);
    }
  }
}

// The runtime has no sandbox of it any more.
void RecalledPods::OnLost(PodActor& pod) {
  const std::string& uid = pod.plan().pod->uid;
  asked_.erase(uid);
  pod.LoseSandbox();
  context_.Emit(PodFound{uid, {.pod = *pod.plan().pod, .containers = pod.runs().Running()}});
}

void RecalledPods::Ask(const std::string& uid, const Sandboxes& sandboxes, const Listing& listing) {
  asked_.at(uid) = true;
  inventory_.AskAbout(sandboxes, listing,
                      lifetime_.Guard([this, uid](const Found& found) { OnFound(uid, found); }));
}

void RecalledPods::OnFound(const std::string& uid, const Found& found) {
  const auto waiting = asked_.find(uid);
  PodActor* const pod = Find(uid);
  if (waiting == asked_.end() || pod == nullptr) return;
  waiting->second = false;
  const auto sandboxes = OwnSandboxes(context_, found.own);
  if (found.WhyUnknown(sandboxes.at(uid)) != nullptr) return;
  asked_.erase(waiting);
  RuntimePod adopted = adoption_.TakeOver(pod->plan(), sandboxes.at(uid), found);
  pod->WriteRecord();
  context_.Emit(PodFound{uid, std::move(adopted)});
}

}  // namespace jettison::cri
