#include "agent/pods/pod_views.h"

#include <algorithm>

#include "ports/container_runtime.h"

namespace jettison {
namespace {

PodView ViewOf(const PodSlot& slot, Instant now) {
  PodView view;
  view.facts = slot.facts();
  const PodFacts& facts = *view.facts;
  const PodWorker* const worker = slot.worker();
  view.name = facts.pod.name;
  view.namespace_ = facts.pod.namespace_;
  view.uid = facts.pod.uid;
  view.qos = facts.qos;
  view.priority = facts.priority;
  view.source = facts.source;
  view.protection = facts.protection;
  view.activity = worker != nullptr ? worker->activity() : PodActivity::kWaiting;
  view.status = slot.Status(now);
  view.wanted = slot.wanted != nullptr && !slot.foreign;
  view.foreign = slot.foreign;
  view.evictions = slot.evictions;
  view.oom_kills = slot.oom_kills;
  view.dead_containers = worker != nullptr ? worker->dead_runs().size() : 0;
  view.comes_back_at = slot.comes_back_at();
  if (const auto* const refused = std::get_if<Refused>(&slot.state)) {
    view.refused_for = refused->refused_for;
  }
  return view;
}

}  // namespace

std::vector<SharedPodFacts> PodViews::Active() const {
  std::vector<SharedPodFacts> active;
  active.reserve(slots_->all().size());
  for (const auto& [name, slot] : slots_->all()) {
    const OnNode* const pod = slot.on_node();
    if (pod != nullptr && pod->worker->IsCandidate()) active.push_back(pod->facts);
  }
  return active;
}

std::vector<EndingPod> PodViews::Ending() const {
  std::vector<EndingPod> ending;
  for (const auto& [name, slot] : slots_->all()) {
    const OnNode* const pod = slot.on_node();
    if (pod == nullptr || !pod->worker->IsEnding()) continue;
    ending.push_back({.facts = pod->facts.get(),
                      .evicted_at = pod->worker->evicted_at(),
                      .kill_at = pod->worker->kill_at()});
  }
  return ending;
}

bool PodViews::AnyOnNode() const {
  return std::ranges::any_of(slots_->all(), [](const auto& entry) {
    return entry.second.on_node() != nullptr && !entry.second.foreign;
  });
}

bool PodViews::AnyIsBeingRemoved(Instant now) const {
  return std::ranges::any_of(slots_->all(), [&](const auto& entry) {
    const PodWorker* const worker = entry.second.worker();
    if (worker == nullptr) return false;
    const auto since = worker->removing_since();
    return since && now < *since + kRemovalTakes;
  });
}

std::size_t PodViews::CountProtectedForeign() const {
  return static_cast<std::size_t>(std::ranges::count_if(slots_->all(), [](const auto& entry) {
    const OnNode* const pod = entry.second.on_node();
    return pod != nullptr && pod->facts->protection == Protection::kObserved;
  }));
}

std::string PodViews::NameOfPod(std::string_view uid) const {
  const PodSlot* const slot = slots_->OfPod(uid);
  if (slot != nullptr) return FullName(slot->facts()->pod);
  const std::string gone = slots_->NameOfGone(uid);
  return gone.empty() ? std::string(uid) : gone;
}

std::vector<std::string> PodViews::ImagesThatStay() const {
  std::vector<std::string> images;
  for (const auto& [name, slot] : slots_->all()) {
    if (!slot.wanted) continue;
    for (const auto* containers :
         {&slot.wanted->pod.init_containers, &slot.wanted->pod.containers}) {
      for (const Container& container : *containers) {
        if (container.image_pull_policy == PullPolicy::kNever) images.push_back(container.image);
      }
    }
  }
  return images;
}

PodsForGc PodViews::StandingForGc() const {
  PodsForGc pods;
  pods.all_sources_ready = slots_->sources_ready();
  for (const auto& [name, slot] : slots_->all()) {
    if (slot.wanted) pods.standing[slot.wanted->pod.uid] = PodStanding::kLives;
    const OnNode* const pod = slot.on_node();
    if (pod == nullptr) continue;
    pods.standing[pod->facts->pod.uid] = pod->worker->activity() == PodActivity::kFinished
                                             ? PodStanding::kTerminated
                                             : PodStanding::kLives;
  }
  return pods;
}

std::vector<PodView> PodViews::Views(Instant now) const {
  std::vector<PodView> views;
  for (const auto& [name, slot] : slots_->all()) views.push_back(ViewOf(slot, now));
  return views;
}

}  // namespace jettison
