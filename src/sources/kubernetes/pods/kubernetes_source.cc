#include "sources/kubernetes/pods/kubernetes_source.h"

#include <fmt/format.h>
#include <poll.h>

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "sources/kubernetes/pods/held_pod.h"
#include "sources/kubernetes/pods/kubelet_groups.h"
#include "sources/kubernetes/pods/status_anchor.h"

namespace jettison::kube {
namespace {

// The name of the list of pods.
constexpr const char* kList = "pods of the kubelet";
// A pod whose containers are not found although its status says that they run is looked for again
// after so long: its status is older than what happened, or could not be followed up for want of
// something.
constexpr Duration kLookAgainAfter = std::chrono::seconds(5);

std::set<std::string> RunningIn(const ApiPod& pod) {
  std::set<std::string> running;
  if (pod.IsTerminal()) return running;
  for (const ContainerStatus& status : pod.containers) {
    if (status.state == ContainerStatus::State::kRunning && !status.id.empty()) {
      running.insert(status.id);
    }
  }
  return running;
}

}  // namespace

KubernetesSource::KubernetesSource(PodFeed& feed, RunEdges& edges, const NodeGroups& groups,
                                   ForeignRoster& roster, KubeletPlaces kubelet)
    : feed_(feed),
      edges_(edges),
      groups_(groups),
      roster_(roster),
      kubelet_(std::move(kubelet)),
      complaints_(edges) {
  feed_.Follow({.on_pod = [this](const ApiPod& pod) { OnPod(pod); },
                .on_gone = [this](const ObjectHead& head) { OnGone(head); }});
  on_news_ = edges_.readiness.OnReadable(feed_.fd(), [this] { feed_.Dispatch(); });
}

KubernetesSource::~KubernetesSource() {
  feed_.Follow({});
}

void KubernetesSource::Await(Duration patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  feed_.Dispatch();
  while (!feed_.IsComplete()) {
    const auto left = deadline - std::chrono::steady_clock::now();
    if (left <= Duration::zero()) return;
    pollfd news{.fd = feed_.fd(), .events = POLLIN, .revents = 0};
    ::poll(&news, 1, static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count()));
    feed_.Dispatch();
  }
}

void KubernetesSource::OnPod(const ApiPod& pod) {
  Seen& seen = seen_[pod.head.uid];
  auto running = RunningIn(pod);
  if (seen.ended || (running == seen.running && !seen.missed)) return;
  seen.missed.reset();
  const bool same = running == seen.running;
  seen.running = std::move(running);
  if (!same) TellRunning();
  if (!seen.running.empty() && !roster_.Has(pod.head.uid)) LookFor(pod);
}

void KubernetesSource::OnGone(const ObjectHead& head) {
  if (seen_.erase(head.uid) == 0) return;
  complaints_.KeepOnly([this](const std::string& uid) { return seen_.contains(uid); });
  TellRunning();
}

void KubernetesSource::TellRunning() {
  std::map<std::string, std::set<std::string>> running;
  for (const auto& [uid, seen] : seen_) running[uid] = seen.running;
  roster_.OnListed(kList, running);
}

void KubernetesSource::LookFor(const ApiPod& pod) {
  ForeignFinding finding = FindingOf(pod, kubelet_);
  if (const auto found = FindContainers(pod, finding); !found) return Miss(pod, found.error());
  finding.list = kList;
  finding.considered = seen_[pod.head.uid].running;
  finding.base = std::make_shared<HeldPod>(edges_, PodGroupOf(pod, groups_.driver),
                                           [this, uid = pod.head.uid] {
                                             const auto seen = seen_.find(uid);
                                             if (seen != seen_.end()) seen->second.ended = true;
                                           });
  if (const auto taken = roster_.Take(std::move(finding), complaints_); !taken) {
    Miss(pod, taken.error());
  }
}

Result<void> KubernetesSource::FindContainers(const ApiPod& pod, ForeignFinding& finding) const {
  for (const ContainerStatus& status : pod.containers) {
    if (status.state != ContainerStatus::State::kRunning || status.id.empty()) continue;
    // Added by whoever looks into a pod (kubectl debug); its memory counts as the pod's.
    if (status.role == ContainerStatus::Role::kEphemeral) continue;
    auto container = Find(pod, status);
    if (!container && container.error().code == ErrorCode::kNotFound) continue;
    if (!container) return Fail(container.error());
    finding.containers.push_back(*std::move(container));
  }
  if (finding.containers.empty()) return Fail(ErrorCode::kNotFound, "nothing of it runs");
  return {};
}

Result<ForeignContainer> KubernetesSource::Find(const ApiPod& pod,
                                                const ContainerStatus& status) const {
  const auto place = ContainerGroupIn(groups_.cgroups, PodGroupOf(pod, groups_.driver), status.id);
  if (!place) return Fail(place.error());
  const auto pid = FirstProcessIn(groups_, *place);
  if (!pid) return Fail(ErrorCode::kNotFound, "nothing runs in its group");
  auto group = ForeignGroupOf(groups_, {.id = status.id, .pid = *pid, .cgroups_path = {}});
  if (!group) return Fail(group.error());
  ForeignContainer container = ContainerOf(pod, status, kubelet_);
  container.anchor = std::make_shared<StatusAnchor>();
  container.pid = *pid;
  container.group = *std::move(group);
  return container;
}

// What cannot be measured must not be evicted either.
void KubernetesSource::Miss(const ApiPod& pod, const Error& why) {
  seen_[pod.head.uid].missed = pod;
  if (why.code != ErrorCode::kNotFound) {
    complaints_.Say(pod.head.uid,
                    fmt::format("pod {} is left out: {}", FullName(pod.pod), why.message));
  }
  on_look_again_ = edges_.readiness.After(kLookAgainAfter, [this] {
    on_look_again_.Stop();
    LookAgain();
  });
}

void KubernetesSource::LookAgain() {
  std::vector<ApiPod> missed;
  for (auto& [uid, seen] : seen_) {
    if (seen.missed) missed.push_back(*std::exchange(seen.missed, std::nullopt));
  }
  for (const ApiPod& pod : missed) {
    if (!roster_.Has(pod.head.uid)) LookFor(pod);
  }
}

}  // namespace jettison::kube
