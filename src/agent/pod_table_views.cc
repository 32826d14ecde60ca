#include <algorithm>
#include <unordered_set>

#include "agent/pod_table.h"
#include "decide/qos.h"

// What the table tells of its pods.

namespace jettison {

const std::vector<const PodFacts*>& PodTable::Active() const {
  active_.clear();
  for (const auto& [name, slot] : slots_) {
    if (slot.worker && slot.worker->IsCandidate()) active_.push_back(slot.facts.get());
  }
  return active_;
}

const std::vector<PodTable::EndingPod>& PodTable::Ending() const {
  ending_.clear();
  for (const auto& [name, slot] : slots_) {
    if (!slot.worker || !slot.worker->IsEnding()) continue;
    ending_.push_back({.facts = slot.facts.get(),
                       .evicted_at = slot.worker->evicted_at(),
                       .kill_at = slot.worker->kill_at()});
  }
  return ending_;
}

std::vector<std::shared_ptr<const PodFacts>> PodTable::Keep(
    const std::vector<const PodFacts*>& pods) const {
  const std::unordered_set<const PodFacts*> wanted(pods.begin(), pods.end());
  std::vector<std::shared_ptr<const PodFacts>> kept;
  kept.reserve(pods.size());
  for (const auto& [name, slot] : slots_) {
    if (wanted.contains(slot.facts.get())) kept.push_back(slot.facts);
  }
  return kept;
}

bool PodTable::IsOnNode(std::string_view uid) const {
  return SlotOf(uid) != nullptr;
}

bool PodTable::AnyOnNode() const {
  return std::ranges::any_of(slots_, [](const auto& entry) {
    return entry.second.worker != nullptr && !entry.second.foreign;
  });
}

bool PodTable::AnyIsBeingRemoved(Instant now) const {
  constexpr Duration kRemovalTakes = std::chrono::seconds(10);
  return std::ranges::any_of(slots_, [&](const auto& entry) {
    const auto& worker = entry.second.worker;
    if (!worker || worker->IsGone()) return false;
    const auto since = worker->removing_since();
    return since && now < *since + kRemovalTakes;
  });
}

std::size_t PodTable::CountObserved() const {
  if (adopt_ != AdoptPolicy::kObserve) return 0;
  return static_cast<std::size_t>(std::ranges::count_if(slots_, [](const auto& entry) {
    return entry.second.worker != nullptr && entry.second.foreign && entry.second.facts->critical;
  }));
}

std::string PodTable::NameOfPod(std::string_view uid) const {
  const Slot* slot = SlotOf(uid);
  return slot == nullptr ? std::string(uid) : FullName(slot->facts->pod);
}

std::vector<std::string> PodTable::ImagesThatStay() const {
  std::vector<std::string> images;
  for (const auto& [name, slot] : slots_) {
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

std::vector<PodWorker*> PodTable::Workers() {
  std::vector<PodWorker*> workers;
  for (auto& [name, slot] : slots_) {
    if (slot.worker) workers.push_back(slot.worker.get());
  }
  return workers;
}

PodsForGc PodTable::StandingForGc() const {
  PodsForGc pods;
  pods.all_sources_ready = told_wanted_;
  for (const auto& [name, slot] : slots_) {
    if (slot.wanted) pods.standing[slot.wanted->pod.uid] = PodStanding::kLives;
    if (!slot.worker) continue;
    pods.standing[slot.facts->pod.uid] = slot.worker->activity() == PodActivity::kFinished
                                             ? PodStanding::kTerminated
                                             : PodStanding::kLives;
  }
  return pods;
}

PodView PodTable::ViewOf(const Slot& slot, Instant now) {
  PodView view;
  view.facts = slot.worker ? slot.facts : slot.wanted;
  const PodFacts& facts = *view.facts;
  view.name = facts.pod.name;
  view.namespace_ = facts.pod.namespace_;
  view.uid = facts.pod.uid;
  view.qos = QosClassOf(facts.pod);
  view.priority = facts.priority;
  view.critical = facts.critical;
  view.activity = slot.worker ? slot.worker->activity() : PodActivity::kWaiting;
  if (slot.worker) {
    view.status = slot.worker->Status(now);
  } else if (slot.rest) {
    view.status = *slot.rest;
  }
  view.wanted = slot.wanted != nullptr && !slot.foreign;
  view.foreign = slot.foreign;
  view.evictions = slot.evictions;
  view.dead_containers = slot.worker ? slot.worker->dead_runs().size() : 0;
  view.comes_back_at = slot.comes_back_at;
  return view;
}

std::vector<PodView> PodTable::Views(Instant now) const {
  std::vector<PodView> views;
  for (const auto& [name, slot] : slots_) views.push_back(ViewOf(slot, now));
  return views;
}

}  // namespace jettison
