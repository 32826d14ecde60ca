#include "sources/kubernetes/pods/kubernetes_source.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/model/fault.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "kernel/processes/processes.h"

namespace jettison::kube {
namespace {

using std::chrono::milliseconds;

// The name of the list of pods.
constexpr const char* kList = "pods of the kubelet";
// A container that is being created runs within some tens of milliseconds.
constexpr Duration kLookSoon = milliseconds(10);
// The interval of looks if the kernel does not report new groups, or a pod has no group yet.
constexpr Duration kLookByClock = milliseconds(100);
// After two seconds, a container is no longer expected to run soon.
constexpr int kMostSoonLooks = 200;

bool IsWorthTheSame(const Pod& a, const Pod& b) {
  return a.containers == b.containers && a.init_containers == b.init_containers &&
         a.resources == b.resources && a.priority == b.priority &&
         a.status_qos_class == b.status_qos_class;
}

}  // namespace

KubernetesSource::KubernetesSource(PodFeed& feed, const SourceDependencies& dependencies,
                                   KubeletPlaces kubelet)
    : feed_(feed),
      dependencies_(dependencies.run),
      groups_(dependencies.groups),
      roster_(dependencies.roster),
      kubelet_(std::move(kubelet)),
      complaints_(dependencies.run),
      arrivals_(dependencies.groups.cgroups) {
  feed_.Follow({.on_pod = [this](const ApiPod& pod) { OnPod(pod); },
                .on_gone = [this](const ObjectHead& head) { OnGone(head); },
                .on_given_up = [this](const std::string& uid) { OnGivenUp(uid); },
                .take_held = [this] { return TakeHeld(); }});
  on_news_ = dependencies_.readiness.OnReadable(feed_.fd(), [this] { feed_.Dispatch(); });
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
    ::poll(&news, 1, static_cast<int>(std::chrono::ceil<milliseconds>(left).count()));
    feed_.Dispatch();
  }
}

std::vector<std::string> KubernetesSource::NotGuarded() const {
  std::vector<std::string> pods;
  for (const auto& [uid, known] : pods_) {
    if (!known.left_out.empty() && !roster_.Has(uid)) pods.push_back(known.left_out);
  }
  return pods;
}

void KubernetesSource::OnPod(const ApiPod& pod) {
  Known& known = pods_[pod.head.uid];
  known.is_gone = false;
  known.is_checked = false;
  // The properties for ranking are determined when a pod is found, so it is found again.
  if (!known.running.empty() && !IsWorthTheSame(known.pod.pod, pod.pod)) {
    known.running.clear();
    roster_.OnOneListed(kList, pod.head.uid, known.running);
  }
  known.pod = pod;
  known.group = PodGroupOf(pod, groups_.names);
  Look(known);
  PlanLooks();
}

// A pod that is deleted by force (`kubectl delete --force --grace-period=0`) is gone from the API
// server seconds before its processes. While they run, they use what the node lacks, so the pod is
// kept. A mirror pod is only the object of a static pod, which runs on and gets another object.
void KubernetesSource::OnGone(const ObjectHead& head) {
  const auto at = pods_.find(head.uid);
  if (at == pods_.end()) return;
  Known& known = at->second;
  if (known.pod.IsMirror()) return Drop(head.uid);
  known.is_gone = true;
  Look(known);
  DropGone();
  PlanLooks();
}

void KubernetesSource::DropGone() {
  std::vector<std::string> over;
  for (const auto& [uid, known] : pods_) {
    const bool runs = roster_.Has(uid) || known.is_making;
    if (known.is_gone && (known.ended || !runs)) over.push_back(uid);
  }
  for (const std::string& uid : over) Drop(uid);
}

// The roster is told of this pod alone: a thousand pods are listed at once at the start.
void KubernetesSource::Drop(const std::string& uid) {
  const auto known = pods_.extract(uid);
  arrivals_.Forget(known.mapped().group);
  complaints_.KeepOnly([this](const std::string& other) { return pods_.contains(other); });
  roster_.OnOneListed(kList, known.key(), {});
}

// The kubelet starts its containers again.
void KubernetesSource::OnGivenUp(const std::string& uid) {
  const auto at = pods_.find(uid);
  if (at == pods_.end() || !std::exchange(at->second.ended, nullptr)) return;
  at->second.soon_looks = 0;
  Look(at->second);
  PlanLooks();
}

// The kubelet sets no such limit. A pod that cannot be read now is looked at with the next call.
// One that is being deleted is not started again, and its eviction may be over.
std::vector<FoundHeld> KubernetesSource::TakeHeld() {
  std::vector<FoundHeld> held;
  for (auto& [uid, known] : pods_) {
    if (std::exchange(known.is_checked, true) || known.is_gone) continue;
    if (known.pod.deleted || known.pod.IsTerminal()) continue;
    const auto limit = dependencies_.cgroups.ReadPidsLimit(known.group);
    if (limit && *limit == 0U) held.push_back({.head = known.pod.head, .group = known.group});
    known.is_checked = limit.has_value() || limit.error().code == ErrorCode::kNotFound;
  }
  return held;
}

void KubernetesSource::OnArrivals() {
  const auto news = arrivals_.Take();
  for (auto& [uid, known] : pods_) {
    if (!news.lost && std::ranges::find(news.groups, known.group) == news.groups.end()) continue;
    known.soon_looks = 0;
    Look(known);
  }
  DropGone();
  PlanLooks();
}

void KubernetesSource::Look(Known& known) {
  if (known.ended) return KeepDown(known);
  Watch(known);
  auto seen = SeeContainers(groups_, known.group);
  const bool is_gone =
      known.pod.IsTerminal() || (!seen && seen.error().code == ErrorCode::kNotFound);
  if (!seen && !is_gone) return;  // an unreadable group counts as unchanged
  if (!seen) arrivals_.Forget(known.group);
  std::set<std::string> running;
  std::vector<ForeignContainer> containers;
  known.is_making = false;
  known.is_unread = false;
  if (!is_gone) {
    // The kernel reports the end of these.
    for (const std::string& id : seen->empty) {
      if (known.running.contains(id)) running.insert(id);
    }
    known.groups.clear();
    if (!seen->containers.empty()) known.groups.insert(seen->containers.front().group);
    const std::vector<SeenContainer> settled = Settled(known, *std::move(seen));
    for (const SeenContainer& one : settled) known.groups.insert(one.group);
    containers = ContainersOf(known.pod, settled, kubelet_);
  }
  for (const ForeignContainer& container : containers) running.insert(container.id);
  if (running != known.running) {
    known.running = std::move(running);
    roster_.OnOneListed(kList, known.pod.head.uid, known.running);
  }
  if (!containers.empty() && !roster_.Has(known.pod.head.uid)) Take(known, std::move(containers));
}

// Until the pod is deleted, the kubelet tries to start it again.
void KubernetesSource::KeepDown(Known& known) {
  known.held = known.ended->KeepDown();
  if (known.held == HeldGroup::State::kGone) return arrivals_.Forget(known.group);
  Watch(known);
}

// We have ended all that ran in the pod. A look at the pod may have led here, so the pod is not
// forgotten before the next one.
void KubernetesSource::OnDown(const std::string& uid, std::shared_ptr<HeldGroup> group) {
  const auto at = pods_.find(uid);
  if (at == pods_.end()) return;
  at->second.ended = std::move(group);
  at->second.held = HeldGroup::State::kToHold;
  PlanLooks();
}

void KubernetesSource::Watch(Known& known) {
  known.is_watched = arrivals_.Watch(known.group).has_value();
  if (known.is_watched && !on_arrivals_) {
    on_arrivals_ = dependencies_.readiness.OnReadable(arrivals_.fd(), [this] { OnArrivals(); });
  }
}

// The process with which a runtime starts a container looks like the container for a moment. A new
// one is therefore looked at again before it counts.
std::vector<SeenContainer> KubernetesSource::Settled(Known& known, SeenPod now) {
  const std::vector<SeenContainer> before = std::exchange(known.seen, now.containers);
  const auto is_new = [&](const SeenContainer& one) {
    const auto& told = known.pod.containers;
    return !known.running.contains(one.id) && std::ranges::find(before, one) == before.end() &&
           std::ranges::find(told, one.id, &ContainerStatus::id) == told.end();
  };
  const bool is_making = std::erase_if(now.containers, is_new) > 0 || !now.empty.empty();
  known.is_making = is_making && ++known.soon_looks < kMostSoonLooks;
  return std::move(now.containers);
}

// A pod that cannot be measured must not be evicted. The agent's own pod is left out without a log
// line, because that needs no action.
void KubernetesSource::Take(Known& known, std::vector<ForeignContainer> containers) {
  const ApiPod& pod = known.pod;
  known.left_out.clear();
  const auto leave_out = [&](const Error& why) {
    known.left_out = fmt::format("pod {} is left out: {}", FullName(pod.pod), why.message);
    complaints_.Say(pod.head.uid, known.left_out);
  };
  const auto is_own = HoldsThisAgent(groups_, known.group);
  known.is_unread = !is_own;
  if (!is_own) return leave_out(is_own.error());
  if (*is_own) return;
  FoundForeignPod finding = FindingOf(pod, kubelet_);
  finding.containers = std::move(containers);
  if (!pod.faults.empty()) {
    complaints_.Say(
        pod.head.uid,
        fmt::format("pod {} is not evicted, because its object is not fully understood: {}",
                    FullName(pod.pod), DescribeAll(pod.faults)));
  }
  finding.list = kList;
  finding.considered = known.running;
  finding.keeper = std::make_shared<HeldGroup>(
      dependencies_, known.group, known.groups,
      [this, uid = pod.head.uid](auto group) { OnDown(uid, std::move(group)); });
  const auto taken = roster_.Take(std::move(finding), complaints_);
  if (!taken) leave_out(taken.error());
}

std::optional<Duration> KubernetesSource::LookAfter(const Known& known) {
  const bool is_over = known.ended || known.pod.IsTerminal();
  if (!is_over && known.is_making) return kLookSoon;
  const bool is_to_find = !is_over && (!known.is_watched || known.is_unread);
  const bool is_to_keep_down = known.ended && known.held != HeldGroup::State::kGone &&
                               (known.held == HeldGroup::State::kToHold || !known.is_watched);
  if (is_to_find || is_to_keep_down || known.is_gone) return kLookByClock;
  return std::nullopt;
}

void KubernetesSource::PlanLooks() {
  std::optional<Duration> next;
  for (const auto& [uid, known] : pods_) {
    if (const auto after = LookAfter(known)) next = std::min(next.value_or(*after), *after);
  }
  on_look_again_.Stop();
  if (next) on_look_again_ = dependencies_.readiness.After(*next, [this] { LookByClock(); });
}

void KubernetesSource::LookByClock() {
  on_look_again_.Stop();
  for (auto& [uid, known] : pods_) {
    if (LookAfter(known)) Look(known);
  }
  DropGone();
  PlanLooks();
}

}  // namespace jettison::kube
