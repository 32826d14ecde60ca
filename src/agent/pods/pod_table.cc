#include "agent/pods/pod_table.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "agent/dependencies/dependencies.h"
#include "agent/manifests/manifest_reading.h"
#include "core/units/duration.h"

namespace jettison {
namespace {

bool AnyRuns(const RuntimePod& pod) {
  return std::ranges::any_of(pod.containers,
                             [](const ContainerRecord& record) { return !record.exit; });
}

}  // namespace

const PodSlot* PodTable::OfPod(std::string_view uid) const {
  const auto slot = std::ranges::find_if(slots_, [uid](const auto& entry) {
    const OnNode* const pod = entry.second.on_node();
    return pod != nullptr && pod->facts->pod.uid == uid;
  });
  return slot == slots_.end() ? nullptr : &slot->second;
}

PodSlot* PodTable::OfPod(std::string_view uid) {
  return const_cast<PodSlot*>(std::as_const(*this).OfPod(uid));  // the slot is ours and not const
}

void PodTable::LoseForeign(std::string_view uid) {
  PodSlot* const slot = OfPod(uid);
  if (slot == nullptr || !slot->foreign) return;
  slot->state = NotHere{};
  slot->wanted = nullptr;
}

void PodTable::NoteEviction(PodSlot& slot) {
  ++slot.evictions;
  ++changes_.all;
  ++changes_.evictions;
}

void PodTable::Take(RuntimePod pod, Instant now) {
  PodSlot* const known = OfPod(pod.pod.uid);
  if (pod.foreign && (known != nullptr || (adopt_ == AdoptPolicy::kNone && !pod.spared))) return;
  // A pod that waits to be created does so because that on the node was not taken over until now.
  const bool goes_on = known != nullptr && !known->foreign && !known->worker()->AwaitsCreation();
  PodWorker& worker = goes_on ? *known->worker() : Enter(pod, now);
  worker.Adopt(std::move(pod.containers), now);
}

PodWorker& PodTable::Enter(RuntimePod& pod, Instant now) {
  std::string name = FullName(pod.pod);
  if (!pod.foreign) ForgetWorkerOf(pod.pod.uid);
  // If two pods have the same name, the second gets a slot with its UID in the name. The plain name
  // stays free for the pod of a manifest.
  const auto taken = slots_.find(name);
  const bool is_taken = taken != slots_.end() && taken->second.on_node() != nullptr;
  if (pod.foreign || is_taken) name += "/" + pod.pod.uid;
  PodSlot& slot = At(name);
  const auto kept = SavedOf(name, pod, now);
  PodFacts facts = FactsOf(std::move(pod.pod), profile_);
  // The agent never ends the pod.
  if (pod.foreign) facts.source = pod.origin;
  if (pod.foreign && (pod.spared || adopt_ == AdoptPolicy::kObserve)) {
    facts.protection = Protection::kObserved;
  }
  slot.wanted = std::make_shared<const PodFacts>(std::move(facts));
  slot.foreign = pod.foreign;
  slot.kill_at_once = pod.kill_at_once;
  OnNode& entered = slot.state.emplace<OnNode>(
      OnNode{.facts = slot.wanted,
             .worker = std::make_unique<PodWorker>(slot.wanted, *dependencies_),
             .started_at = now});
  if (kept) {
    slot.evictions = kept->evictions;
    slot.come_back.Resume(kept->next_delay);
    entered.started_at = kept->started.value_or(now);
    if (kept->absence) {
      entered.comes_back_at =
          std::min(kept->absence->comes_back_at, now + slot.come_back.rule().max);
    }
    entered.worker->Remember(*kept);
  }
  dependencies_->log.Info(pod.foreign ? "foreign pod found" : "pod adopted",
                          {{"pod", FullName(entered.facts->pod)}, {"uid", entered.facts->pod.uid}});
  return *entered.worker;
}

// What is known of a pod that is found. One that was evicted and of which nothing runs is what its
// eviction has left.
std::optional<SavedPod> PodTable::SavedOf(const std::string& name, const RuntimePod& pod,
                                          Instant now) {
  if (pod.foreign) return std::nullopt;
  auto kept = TakeRemembered(name, pod.pod.uid);
  if (!kept || !kept->absence) return kept;
  if (AnyRuns(pod)) {
    kept->absence.reset();  // it has come back since
  } else {
    kept->ending = SavedEnding{
        .reason = kept->absence->reason, .message = kept->absence->message, .kill_at = now};
  }
  return kept;
}

// A pod of this agent replaces what was foreign until now, and a worker that waits for its place.
void PodTable::ForgetWorkerOf(std::string_view uid) {
  LoseForeign(uid);
  PodSlot* const slot = OfPod(uid);
  if (slot != nullptr && !slot->foreign) slot->state = NotHere{};
}

void PodTable::Adopt(std::vector<RuntimePod> pods, Instant now) {
  settled_ = false;
  awaits_runtime_ = false;
  ++changes_.all;
  for (RuntimePod& pod : pods) Take(std::move(pod), now);
}

void PodTable::Recall(std::vector<RuntimePod> pods, Instant now) {
  settled_ = false;
  awaits_runtime_ = true;
  ++changes_.all;
  for (RuntimePod& pod : pods) Enter(pod, now).Recall(std::move(pod.containers), now);
}

// A new pod does not inherit the back-off of the previous pod's evictions.
void PodTable::Want(const std::string& name, const SharedPodFacts& facts, Instant now) {
  PodSlot& slot = At(name);
  if (slot.wanted == facts || (slot.wanted && SayTheSame(slot.wanted->pod, facts->pod))) return;
  const OnNode* const present = slot.on_node();
  const bool is_present = present != nullptr && SayTheSame(present->facts->pod, facts->pod);
  slot.wanted = is_present ? present->facts : facts;
  if (present == nullptr) slot.state = NotHere{};
  slot.returns = false;
  slot.come_back = Backoff(come_back_rule_);
  ++changes_.all;
  StayOut(name, slot, now);
}

// Whether the kept state of a pod that is not on the node may still be needed. Until the wanted
// pods are known, every state may be. After that, a manifest may be missing only for a moment; the
// state of a pod that is missing for long is dropped.
bool PodTable::IsAwaited(const SavedPod& pod, Instant now) const {
  if (!sources_ready_) return true;
  const Duration patience = come_back_rule_.reset_after;
  if (pod.absence) return now < pod.absence->comes_back_at + patience;
  return pod.ending && now < pod.ending->kill_at + patience;
}

// Absent: nothing is known of a pod of that name and UID, or it was taken already.
std::optional<SavedPod> PodTable::TakeRemembered(const std::string& name, std::string_view uid) {
  const auto found = remembered_.find(name);
  if (found == remembered_.end() || found->second.uid != uid) return std::nullopt;
  return std::move(remembered_.extract(found).mapped());
}

// That of the slots, and the kept state that was not taken yet.
std::vector<SavedPod> PodTable::Saved(Instant now) const {
  std::vector<SavedPod> kept;
  for (const auto& [name, slot] : slots_) {
    if (auto pod = slot.Saved(name)) kept.push_back(*std::move(pod));
  }
  const std::size_t present = kept.size();  // in the order of their names
  for (const auto& [name, pod] : remembered_) {
    const auto those = std::span(kept).first(present);
    const bool told = std::ranges::binary_search(those, name, {}, &SavedPod::name);
    if (!told && IsAwaited(pod, now)) kept.push_back(pod);
  }
  return kept;
}

// Keeps a pod away that an earlier agent has evicted and of which nothing is left on the node.
void PodTable::StayOut(const std::string& name, PodSlot& slot, Instant now) {
  const std::string& uid = slot.wanted->pod.uid;
  if (slot.on_node() != nullptr || OfPod(uid) != nullptr) return;
  auto kept = TakeRemembered(name, uid);
  if (!kept) return;
  if (!slot.ResumeAbsence(*kept, now)) {
    // The runtime may still report it, where it could not read the pod yet.
    if (kept->ended_well) Remember({*std::move(kept)});
    return;
  }
  dependencies_->log.Info(
      "pod was evicted before and is not started before its back-off is over",
      {{"pod", name},
       {"wait", FormatDuration(std::max(Elapsed(now, *slot.comes_back_at()), Duration(0)))}});
}

void PodTable::Handle(const RuntimeEvent& event, Instant now) {
  settled_ = false;
  if (const auto* found = std::get_if<PodFound>(&event)) return Take(found->pod, now);
  const std::string& uid =
      std::visit([](const auto& e) -> const std::string& { return e.pod_uid; }, event);
  PodSlot* const slot = OfPod(uid);
  if (slot == nullptr) return;
  ++changes_.all;
  const auto* exited = std::get_if<ContainerExited>(&event);
  if (exited != nullptr && exited->exit.oom_killed) ++slot->oom_kills;
  slot->worker()->Handle(event, now);
  if (slot->worker()->IsGone()) SettleAll(now);
}

void PodTable::PassDone(NodeConditions conditions, Instant now, bool starved) {
  const bool is_news = std::exchange(conditions_, conditions) != conditions;
  starved_ = starved;
  came_back_ = false;
  const bool any_waits = std::ranges::any_of(slots_, [](const auto& entry) {
    return entry.second.wanted && entry.second.comes_back_at();
  });
  if (!settled_ || is_news || any_waits) SettleAll(now);
}

void PodTable::Advance(Instant now) {
  if (settled_ && (!due_ || now < *due_)) return;
  for (PodWorker* const worker : Workers()) worker->Advance(now);
  SettleAll(now);
  due_ = FindDeadline();
  settled_ = true;
}

void PodTable::PutOffEnds(Duration slept) {
  for (PodWorker* const worker : Workers()) worker->PutOffEnd(slept);
}

void PodTable::StopAll(Instant now) {
  stopping_ = true;
  for (auto& [name, slot] : slots_) {
    if (!slot.foreign) slot.wanted = nullptr;
  }
  SettleAll(now);
}

std::optional<Instant> PodTable::NextDeadline() const {
  return settled_ ? due_ : FindDeadline();
}

std::optional<Instant> PodTable::FindDeadline() const {
  std::optional<Instant> next = NextComeBack();
  for (const auto& [name, slot] : slots_) {
    if (slot.on_node() != nullptr) next = Earliest({next, slot.worker()->NextDeadline()});
  }
  return next;
}

Result<EvictOutcome> PodTable::Evict(const EvictionOrder& order, Instant now) {
  if (dependencies_->dry_run) return EvictOutcome::kDryRun;
  if (order.soft && !order.left_to_agent && dependencies_->soft != nullptr) {
    dependencies_->soft->Ask(order, now);
    return EvictOutcome::kAsked;
  }
  settled_ = false;
  PodSlot* const slot = OfPod(order.pod_uid);
  if (slot == nullptr) {
    return Fail(ErrorCode::kNotFound, "pod " + order.pod_uid + " is not on the node any more");
  }
  const bool first = !slot->worker()->IsEvicted();
  const bool acted = slot->worker()->Evict(order, now);
  if (acted && first) {
    NoteEviction(*slot);
  } else {
    ++changes_.all;
  }
  return acted ? EvictOutcome::kEnding : EvictOutcome::kWasEnding;
}

bool PodTable::NoteEvicted(const EvictionOrder& order, Instant now) {
  PodSlot* const slot = OfPod(order.pod_uid);
  if (slot == nullptr) return true;
  if (!slot->worker()->NoteEvicted(order, now)) return false;
  NoteEviction(*slot);
  return true;
}

bool PodTable::KillsAtOnce(std::string_view uid) const {
  const PodSlot* const slot = OfPod(uid);
  return slot != nullptr && slot->kill_at_once;
}

bool PodTable::KillNow(std::string_view uid, Instant now) {
  settled_ = false;
  PodSlot* const slot = OfPod(uid);
  if (slot == nullptr || !slot->worker()->KillNow(now)) return false;
  ++changes_.all;
  return true;
}

std::vector<SurvivorRecord> PodTable::Survivors() const {
  std::vector<SurvivorRecord> survivors;
  for (const PodWorker* const worker : Workers()) {
    if (auto survivor = worker->Survival()) survivors.push_back(*std::move(survivor));
  }
  return survivors;
}

std::size_t PodTable::ForgetDeadContainers(ForgetOf which) {
  settled_ = false;
  PodsForGc pods = StandingForGc();
  pods.terminated_count_as_gone = which == ForgetOf::kEndedPodsToo;
  std::vector<ContainerRecord> dead;
  for (const PodWorker* const worker : Workers()) {
    dead.insert(dead.end(), worker->dead_runs().begin(), worker->dead_runs().end());
  }
  const std::vector<ContainerRun> runs = ContainersToRemove(dead, pods);
  for (const ContainerRun& run : runs) {
    OfPod(run.pod_uid)->worker()->ForgetRun(run.container, run.attempt);
  }
  return runs.size();
}

std::vector<PodWorker*> PodTable::Workers() const {
  std::vector<PodWorker*> workers;
  for (const auto& [name, slot] : slots_) {
    if (PodWorker* const worker = slot.worker()) workers.push_back(worker);
  }
  return workers;
}

std::vector<SharedPodFacts> PodTable::Active() const {
  std::vector<SharedPodFacts> active;
  active.reserve(slots_.size());
  for (const auto& [name, slot] : slots_) {
    const OnNode* const pod = slot.on_node();
    if (pod != nullptr && pod->worker->IsCandidate()) active.push_back(pod->facts);
  }
  return active;
}

std::vector<EndingPod> PodTable::Ending() const {
  std::vector<EndingPod> ending;
  for (const PodWorker* const worker : Workers()) {
    if (!worker->IsEnding()) continue;
    ending.push_back({.facts = &worker->facts(),
                      .evicted_at = worker->evicted_at(),
                      .kill_at = worker->kill_at()});
  }
  return ending;
}

bool PodTable::AnyOnNode() const {
  return std::ranges::any_of(slots_, [](const auto& entry) {
    return entry.second.on_node() != nullptr && !entry.second.foreign;
  });
}

bool PodTable::AnyForeign() const {
  return std::ranges::any_of(slots_, [](const auto& entry) { return entry.second.foreign; });
}

bool PodTable::AnyIsBeingRemoved(Instant now) const {
  return std::ranges::any_of(Workers(), [&](const PodWorker* worker) {
    const auto since = worker->removing_since();
    return since && now < *since + kRemovalTakes;
  });
}

std::size_t PodTable::CountObserved() const {
  if (adopt_ != AdoptPolicy::kObserve) return 0;
  return static_cast<std::size_t>(std::ranges::count_if(Workers(), [](const PodWorker* worker) {
    return worker->facts().protection == Protection::kObserved;
  }));
}

std::string PodTable::NameOfPod(std::string_view uid) const {
  const PodSlot* const slot = OfPod(uid);
  if (slot != nullptr) return FullName(slot->facts()->pod);
  const auto gone = std::ranges::find(gone_, uid, [](const auto& entry) { return entry.first; });
  return gone == gone_.end() ? std::string(uid) : gone->second;
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

PodsForGc PodTable::StandingForGc() const {
  PodsForGc pods;
  pods.all_sources_ready = sources_ready_;
  for (const auto& [name, slot] : slots_) {
    if (slot.wanted) pods.standing[slot.wanted->pod.uid] = PodStanding::kLives;
    const OnNode* const pod = slot.on_node();
    if (pod == nullptr) continue;
    pods.standing[pod->facts->pod.uid] = pod->worker->activity() == PodActivity::kFinished
                                             ? PodStanding::kTerminated
                                             : PodStanding::kLives;
  }
  return pods;
}

std::vector<PodView> PodTable::Views(Instant now) const {
  std::vector<PodView> views;
  for (const auto& [name, slot] : slots_) views.push_back(slot.View(now));
  return views;
}

}  // namespace jettison
