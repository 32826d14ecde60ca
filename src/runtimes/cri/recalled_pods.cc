#include "runtimes/cri/recalled_pods.h"

#include <fmt/format.h>

#include <utility>

#include "runtimes/cri/containers/sandboxes.h"

namespace jettison::cri {

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
  context_.Emit(PodFound{uid, {.pod = *pod.plan().pod, .containers = pod.RunningRecords()}});
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
