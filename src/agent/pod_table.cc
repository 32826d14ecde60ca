#include "agent/pod_table.h"

#include <algorithm>
#include <utility>

#include "agent/come_back.h"
#include "agent/manifest_reading.h"
#include "decide/admission.h"
#include "decide/eviction_order.h"

namespace jettison {

PodTable::Slot& PodTable::At(const std::string& name) {
  return slots_.try_emplace(name, come_back_rule_).first->second;
}

void PodTable::Adopt(std::vector<RuntimePod> pods, Instant now) {
  ++changes_;
  for (RuntimePod& pod : pods) AdoptOne(std::move(pod), now);
}

void PodTable::Recall(std::vector<RuntimePod> pods, Instant now) {
  ++changes_;
  for (RuntimePod& pod : pods) {
    AddFound(pod, now)->worker->Recall(std::move(pod.containers), now);
  }
}

void PodTable::AdoptOne(RuntimePod pod, Instant now) {
  Slot* const known = SlotOf(pod.pod.uid);
  if (pod.foreign && (known != nullptr || (adopt_ == AdoptPolicy::kNone && !pod.unread))) return;
  // One that waits to be created does so because what is found now could not be read until now.
  const bool goes_on = known != nullptr && !known->foreign && !known->worker->AwaitsCreation();
  Slot* const slot = goes_on ? known : AddFound(pod, now);
  slot->worker->Adopt(std::move(pod.containers), now);
}

PodTable::Slot* PodTable::AddFound(RuntimePod& pod, Instant now) {
  std::string name = FullName(pod.pod);
  if (!pod.foreign) ForgetWorkerOf(pod.pod.uid);
  // Two pods of one name cannot be told apart by it; the second keeps a place of its own. That of a
  // manifest is kept free.
  const auto taken = slots_.find(name);
  if (pod.foreign || (taken != slots_.end() && taken->second.worker)) name += "/" + pod.pod.uid;
  Slot& slot = At(name);
  PodFacts facts = FactsOf(std::move(pod.pod), profile_);
  // Nothing ends it.
  if (pod.foreign && !pod.unread && adopt_ == AdoptPolicy::kObserve) facts.critical = true;
  slot.facts = std::make_shared<const PodFacts>(std::move(facts));
  slot.wanted = slot.facts;
  slot.foreign = pod.foreign;
  slot.rest.reset();
  slot.comes_back_at.reset();
  slot.worker = std::make_unique<PodWorker>(*slot.facts, *edges_);
  slot.started_at = now;
  const auto kept = pod.foreign ? std::nullopt : TakeRemembered(name, slot.facts->pod.uid);
  if (kept) {
    slot.evictions = kept->evictions;
    slot.come_back.Resume(kept->next_delay);
    slot.started_at = kept->started.value_or(now);
    slot.worker->Remember(*kept);
  }
  const char* const what = pod.unread    ? "pod of an earlier agent cannot be taken over yet"
                           : pod.foreign ? "pod of somebody else found"
                                         : "pod adopted";
  edges_->log.Info(what, {{"pod", FullName(slot.facts->pod)}, {"uid", slot.facts->pod.uid}});
  return &slot;
}

// A pod of this agent could not be read until now: what was shown of it, or waits for its place,
// is of no use any more.
void PodTable::ForgetWorkerOf(std::string_view uid) {
  LoseForeign(uid);
  Slot* const slot = SlotOf(uid);
  if (slot == nullptr || slot->foreign) return;
  slot->worker.reset();
  slot->facts.reset();
}

void PodTable::SetWanted(std::vector<Pod> pods, Instant now) {
  told_wanted_ = true;
  std::map<std::string, Pod> by_name;
  for (Pod& pod : pods) by_name.insert_or_assign(FullName(pod), std::move(pod));
  for (auto& [name, slot] : slots_) {
    if (!by_name.contains(name) && !slot.foreign) slot.wanted = nullptr;
  }
  for (auto& [name, pod] : by_name) {
    Slot& slot = At(name);
    if (slot.wanted && SayTheSame(slot.wanted->pod, pod)) continue;
    slot.wanted = slot.facts && SayTheSame(slot.facts->pod, pod)
                      ? slot.facts
                      : std::make_shared<const PodFacts>(FactsOf(std::move(pod), profile_));
    // Another pod owes nothing for the evictions of the one before.
    slot.comes_back_at.reset();
    slot.returns = false;
    slot.come_back = Backoff(come_back_rule_);
    slot.refused_for.clear();
    slot.awaits_room = false;
    ++changes_;
    StayOut(name, slot, now);
  }
  SettleAll(now);
}

void PodTable::Handle(const RuntimeEvent& event, Instant now) {
  if (const auto* found = std::get_if<PodFound>(&event)) return AdoptOne(found->pod, now);
  const std::string& uid =
      std::visit([](const auto& e) -> const std::string& { return e.pod_uid; }, event);
  Slot* slot = SlotOf(uid);
  if (slot == nullptr) return;
  ++changes_;
  slot->worker->Handle(event, now);
  if (slot->worker->IsGone()) SettleAll(now);
}

void PodTable::PassDone(NodeConditions conditions, Instant now, bool starved) {
  conditions_ = conditions;
  starved_ = starved;
  came_back_ = false;
  SettleAll(now);
}

void PodTable::Advance(Instant now) {
  for (auto& [name, slot] : slots_) {
    if (slot.worker) slot.worker->Advance(now);
  }
  SettleAll(now);
}

void PodTable::PutOffEnds(Duration slept) {
  for (auto& [name, slot] : slots_) {
    if (slot.worker) slot.worker->PutOffEnd(slept);
  }
}

void PodTable::StopAll(Instant now) {
  stopping_ = true;
  for (auto& [name, slot] : slots_) {
    if (!slot.foreign) slot.wanted = nullptr;
  }
  SettleAll(now);
}

void PodTable::SettleAll(Instant now) {
  std::vector<Slot*> order;
  for (auto& [name, slot] : slots_) order.push_back(&slot);
  // Those who matter most ask first; equals by name.
  std::ranges::stable_sort(order, [](const Slot* a, const Slot* b) {
    return (a->wanted ? a->wanted->priority : 0) > (b->wanted ? b->wanted->priority : 0);
  });
  for (Slot* slot : order) EndUnwanted(*slot, now);
  for (Slot* slot : order) {
    if (slot->wanted && !slot->worker && !slot->comes_back_at) StartIfMay(*slot, now);
  }
  ComeBack(now);
  std::erase_if(slots_, [](const auto& entry) {
    return entry.second.worker == nullptr && entry.second.wanted == nullptr;
  });
}

void PodTable::EndUnwanted(Slot& slot, Instant now) {
  if (slot.worker && slot.worker->IsGone()) BuryWorker(slot, now);
  if (slot.worker && slot.wanted != slot.facts) slot.worker->Terminate(now);
}

void PodTable::BuryWorker(Slot& slot, Instant now) {
  if (slot.wanted == slot.facts && slot.worker->IsEvicted() && !slot.foreign) {
    slot.comes_back_at = slot.come_back.NextStart(slot.started_at, now);
    slot.rest = slot.worker->Status(now);
    slot.returns = true;
  }
  slot.worker.reset();
  slot.facts.reset();
  if (slot.foreign) slot.wanted = nullptr;
}

void PodTable::StartIfMay(Slot& slot, Instant now) {
  const AdmissionAnswer answer = Admit(slot.wanted->pod, conditions_, profile_);
  if (!answer.admit) return Refuse(slot, answer.reason, answer.message, now);
  if (HasRoom(slot, now)) Start(slot, now);
}

void PodTable::Refuse(Slot& slot, std::string reason, std::string message, Instant now) {
  slot.awaits_room = false;
  PodStatus status;
  status.phase = PodPhase::kFailed;
  status.reason = reason;
  status.message = message;
  slot.rest = std::move(status);
  if (slot.refused_for == reason) return;
  slot.refused_for = reason;
  ++edges_->counters.admission_rejections[reason];
  edges_->events.Add(now, FullName(slot.wanted->pod),
                     {.object = slot.wanted->pod.uid,
                      .type = EventType::kWarning,
                      .reason = std::move(reason),
                      .message = std::move(message),
                      .annotations = {}});
}

bool PodTable::TakesUpRoom(const Slot& slot) {
  if (slot.worker == nullptr) return slot.awaits_room && slot.wanted;
  return slot.worker->activity() != PodActivity::kFinished;
}

Occupant PodTable::OccupantOf(const Slot& slot) {
  const PodFacts& facts = slot.worker ? *slot.facts : *slot.wanted;
  const auto activity = slot.worker ? slot.worker->activity() : PodActivity::kWaiting;
  return {.requests = facts.requests,
          .priority = facts.priority,
          .ending = activity == PodActivity::kTerminating || activity == PodActivity::kCleaningUp,
          .stays = slot.worker == nullptr || (slot.foreign && facts.critical)};
}

// Whether it may take its place at once. If not, it is refused, or others are told to give way.
bool PodTable::HasRoom(Slot& slot, Instant now) {
  std::vector<Slot*> holders;
  std::vector<Occupant> occupants;
  for (auto& [name, other] : slots_) {
    if (&other == &slot || !TakesUpRoom(other)) continue;
    holders.push_back(&other);
    occupants.push_back(OccupantOf(other));
  }
  const Room room = FindRoom(slot.wanted->requests, slot.wanted->priority, occupants, allocatable_);
  if (room.shortage) {
    Refuse(slot, room.shortage->Reason(), room.shortage->Message(), now);
    return false;
  }
  if (room.free) return true;
  slot.awaits_room = true;
  slot.refused_for.clear();
  slot.rest.emplace().message = "waiting for the place of pods that are ending";
  for (const std::size_t i : room.give_way) GiveWay(*holders[i], slot, now);
  edges_->counters.preemptions[room.scarce] += room.give_way.size();
  return false;
}

void PodTable::GiveWay(Slot& slot, const Slot& to, Instant now) {
  const std::string name = FullName(slot.facts->pod);
  const EvictionOrder order = PreemptionOrder(slot.facts->pod, to.wanted->pod);
  edges_->log.Warn("pod makes room for one of higher priority",
                   {{"pod", name}, {"for", FullName(to.wanted->pod)}});
  edges_->events.Add(now, name,
                     {.object = order.pod_uid,
                      .type = EventType::kWarning,
                      .reason = order.reason,
                      .message = order.message,
                      .annotations = {}});
  slot.worker->Evict(order, now);
  ++changes_;
}

// The runtime finds somebody else's pod again under another UID when a pod of this agent takes it.
void PodTable::LoseForeign(std::string_view uid) {
  Slot* const slot = SlotOf(uid);
  if (slot == nullptr || !slot->foreign) return;
  slot->worker.reset();
  slot->facts.reset();
  slot->wanted = nullptr;
}

void PodTable::Start(Slot& slot, Instant now) {
  LoseForeign(slot.wanted->pod.uid);
  slot.facts = slot.wanted;
  slot.rest.reset();
  slot.refused_for.clear();
  slot.awaits_room = false;
  slot.started_at = now;
  if (std::exchange(slot.returns, false)) ++edges_->counters.restarted_pods;
  slot.worker = std::make_unique<PodWorker>(*slot.facts, *edges_);
  edges_->log.Info("pod started",
                   {{"pod", FullName(slot.facts->pod)}, {"uid", slot.facts->pod.uid}});
  slot.worker->Start(now);
}

std::vector<WaitingPod> PodTable::Waiting() const {
  std::vector<WaitingPod> waiting;
  for (const auto& [name, slot] : slots_) {
    if (!slot.comes_back_at || !slot.wanted) continue;
    waiting.push_back(
        {.name = name,
         .priority = slot.wanted->priority,
         .due = *slot.comes_back_at,
         .admitted = !starved_ && Admit(slot.wanted->pod, conditions_, profile_).admit});
  }
  return waiting;
}

void PodTable::ComeBack(Instant now) {
  if (stopping_) return;
  while (!came_back_) {
    const std::vector<WaitingPod> waiting = Waiting();
    const auto next = NextToComeBack(waiting, now);
    if (!next) return;
    // From here on it is a pod like any other; one that finds no room holds up nobody.
    Slot& slot = slots_.find(waiting[*next].name)->second;
    slot.comes_back_at.reset();
    ++changes_;
    StartIfMay(slot, now);
    came_back_ = slot.worker != nullptr || slot.awaits_room;
  }
}

std::optional<Instant> PodTable::NextDeadline() const {
  std::optional<Instant> next;
  const auto consider = [&](std::optional<Instant> at) {
    if (at && (!next || *at < *next)) next = at;
  };
  for (const auto& [name, slot] : slots_) {
    if (slot.worker) consider(slot.worker->NextDeadline());
  }
  // Where one has come back since the last pass, the next pass is what the others wait for.
  if (!came_back_ && !stopping_) consider(NextComeBackAt(Waiting()));
  return next;
}

Result<bool> PodTable::Evict(const EvictionOrder& order, Instant now) {
  Slot* slot = SlotOf(order.pod_uid);
  if (slot == nullptr) {
    return Fail(ErrorCode::kNotFound, "pod " + order.pod_uid + " is not on the node any more");
  }
  const bool first = !slot->worker->IsEvicted();
  const bool acted = slot->worker->Evict(order, now);
  if (acted && first) ++slot->evictions;
  ++changes_;
  return acted;
}

bool PodTable::KillNow(std::string_view uid, Instant now) {
  Slot* slot = SlotOf(uid);
  if (slot == nullptr || !slot->worker->KillNow(now)) return false;
  ++changes_;
  return true;
}

std::vector<SurvivorRecord> PodTable::KillSurvivors(Instant now) {
  std::vector<SurvivorRecord> survivors;
  for (auto& [name, slot] : slots_) {
    if (!slot.worker || !slot.worker->survival()) continue;
    slot.worker->KillSurvivor(now);
    const Survival survival = *slot.worker->survival();
    survivors.push_back(
        {.pod_uid = slot.facts->pod.uid, .since = survival.since, .kills = survival.kills});
  }
  return survivors;
}

const PodTable::Slot* PodTable::SlotOf(std::string_view uid) const {
  const auto slot = std::ranges::find_if(slots_, [&](const auto& entry) {
    return entry.second.worker && entry.second.facts->pod.uid == uid;
  });
  return slot == slots_.end() ? nullptr : &slot->second;
}

PodTable::Slot* PodTable::SlotOf(std::string_view uid) {
  return const_cast<Slot*>(std::as_const(*this).SlotOf(uid));  // our own, which is not const
}

}  // namespace jettison
