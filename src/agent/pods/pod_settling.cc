// How the table brings what is on the node to what is wanted: whom it ends, whom it starts, in
// which order; admission, room and who gives way, and coming back after an eviction.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agent/dependencies/dependencies.h"
#include "agent/pods/pod_table.h"
#include "core/decide/eviction_order.h"

namespace jettison {
namespace {

PodStatus WaitingStatus(std::string why) {
  PodStatus status;
  status.message = std::move(why);
  return status;
}

}  // namespace

void PodTable::SetWanted(const std::vector<SharedPodFacts>& pods, Instant now) {
  sources_ready_ = true;
  std::map<std::string, SharedPodFacts> by_name;
  for (const SharedPodFacts& facts : pods) by_name.insert_or_assign(FullName(facts->pod), facts);
  for (auto& [name, slot] : slots_) {
    if (!by_name.contains(name) && !slot.foreign) slot.wanted = nullptr;
  }
  for (const auto& [name, facts] : by_name) Want(name, facts, now);
  SettleAll(now);
}

void PodTable::SettleAll(Instant now) {
  settled_ = false;
  std::vector<PodSlot*> order;
  for (auto& [name, slot] : slots_) order.push_back(&slot);
  // Pods of the highest priority start first; equals in the order of their names.
  std::ranges::stable_sort(order, [](const PodSlot* a, const PodSlot* b) {
    return (a->wanted ? a->wanted->priority : 0) > (b->wanted ? b->wanted->priority : 0);
  });
  for (PodSlot* const slot : order) EndUnwanted(*slot, now);
  for (PodSlot* const slot : order) {
    const bool is_out = slot->on_node() != nullptr || slot->comes_back_at();
    if (slot->wanted && !is_out) StartIfMay(*slot, now);
  }
  ComeBack(now);
  std::erase_if(slots_, [](const auto& entry) { return entry.second.facts() == nullptr; });
}

void PodTable::EndUnwanted(PodSlot& slot, Instant now) {
  OnNode* const pod = slot.on_node();
  if (pod == nullptr) return;
  if (!pod->worker->IsGone()) {
    if (slot.wanted != pod->facts) pod->worker->Terminate(now);
    return;
  }
  if (slot.wanted == pod->facts && pod->worker->IsEvicted() && !slot.foreign) {
    const Instant comes_back_at =
        pod->comes_back_at ? *pod->comes_back_at : slot.come_back.NextStart(pod->started_at, now);
    slot.state = NotHere{.status = pod->worker->Status(now), .comes_back_at = comes_back_at};
    slot.returns = true;
    return;
  }
  if (slot.foreign) {
    constexpr std::size_t kMostGone = 64;
    gone_.emplace_back(pod->facts->pod.uid, FullName(pod->facts->pod));
    if (gone_.size() > kMostGone) gone_.pop_front();
    slot.wanted = nullptr;
  }
  slot.state = NotHere{};
}

// Starts a wanted pod that is not on the node. If it may not start, its slot says why.
void PodTable::StartIfMay(PodSlot& slot, Instant now) {
  AdmissionAnswer answer = Admit(slot.wanted->pod, conditions_, profile_);
  if (!answer.admit) return Refuse(slot, std::move(answer), now);
  if (HasRoom(slot, now)) Start(slot, now);
}

void PodTable::Refuse(PodSlot& slot, AdmissionAnswer answer, Instant now) {
  const NotHere* const before = slot.not_here();
  const bool was_said = before != nullptr && before->status.reason == answer.reason;
  slot.state = NotHere{.status = FailedStatus(answer.reason, answer.message),
                       .refused_for = answer.refused_for};
  if (was_said) return;
  ++dependencies_->counters.admission_rejections[answer.reason];
  dependencies_->events.Add(now, FullName(slot.wanted->pod),
                            {.object = slot.wanted->pod.uid,
                             .type = EventType::kWarning,
                             .reason = std::move(answer.reason),
                             .message = std::move(answer.message),
                             .annotations = {}},
                            std::move(answer.refused_for));
}

// Whether there is space for the pod at once. If not, it is refused, or other pods are told to give
// way.
bool PodTable::HasRoom(PodSlot& slot, Instant now) {
  // It takes up no room from itself.
  if (slot.AwaitsRoom()) slot.state = NotHere{};
  const PodFacts& wanted = *slot.wanted;
  std::vector<PodSlot*> holders;
  std::vector<Occupant> occupants;
  for (auto& [name, other] : slots_) {
    if (!other.TakesUpRoom(wanted.priority)) continue;
    holders.push_back(&other);
    occupants.push_back(other.AsOccupant());
  }
  const Room room = RoomFor(occupants, wanted.priority, wanted.requests, allocatable_);
  if (room.shortage) {
    const std::string reason = room.shortage->Reason();
    Refuse(slot,
           {.admit = false,
            .reason = reason,
            .message = room.shortage->Message(),
            .refused_for = reason},
           now);
    return false;
  }
  if (room.free) return true;
  std::vector<PodSlot*> give_way;
  for (const std::size_t i : room.give_way) give_way.push_back(holders[i]);
  if (dependencies_->dry_run && !give_way.empty()) {
    WaitInDryRun(slot, give_way);
    return false;
  }
  slot.state =
      NotHere{.status = WaitingStatus("waiting for pods that are ending to free their resources"),
              .awaits_room = true};
  for (PodSlot* const other : give_way) GiveWay(*other->on_node(), wanted, now);
  dependencies_->counters.preemptions[room.scarce] += give_way.size();
  return false;
}

// In a dry run the pod waits, and it is said whom it would preempt.
void PodTable::WaitInDryRun(PodSlot& slot, const std::vector<PodSlot*>& give_way) {
  std::string why = "waiting for room: a dry run preempts nobody; otherwise it would preempt " +
                    FullName(give_way.front()->facts()->pod);
  if (give_way.size() > 1) why += fmt::format(" and {} others", give_way.size() - 1);
  const NotHere* const before = slot.not_here();
  const bool was_said = before != nullptr && before->status.message == why;
  slot.state = NotHere{.status = WaitingStatus(std::move(why)), .refused_for = "DryRun"};
  if (was_said) return;
  for (const PodSlot* const other : give_way) {
    dependencies_->log.Warn(
        "pod would make room for one of higher priority",
        {{"pod", FullName(other->facts()->pod)}, {"for", FullName(slot.wanted->pod)}});
  }
}

void PodTable::GiveWay(OnNode& pod, const PodFacts& to, Instant now) {
  const std::string name = FullName(pod.facts->pod);
  const EvictionOrder order = PreemptionOrder(pod.facts->pod, to.pod);
  dependencies_->log.Warn("pod makes room for one of higher priority",
                          {{"pod", name}, {"for", FullName(to.pod)}});
  dependencies_->events.Add(now, name,
                            {.object = order.pod_uid,
                             .type = EventType::kWarning,
                             .reason = order.reason,
                             .message = order.message,
                             .annotations = {}});
  pod.worker->Evict(order, now);
  ++changes_.all;
}

void PodTable::Start(PodSlot& slot, Instant now) {
  const std::string& uid = slot.wanted->pod.uid;
  auto worker = std::make_unique<PodWorker>(slot.wanted, *dependencies_);
  LoseForeign(uid);
  if (std::exchange(slot.returns, false)) ++dependencies_->counters.restarted_pods;
  OnNode& pod = slot.state.emplace<OnNode>(
      OnNode{.facts = slot.wanted, .worker = std::move(worker), .started_at = now});
  dependencies_->log.Info("pod started",
                          {{"pod", FullName(pod.facts->pod)}, {"uid", pod.facts->pod.uid}});
  pod.worker->Start(now);
}

std::vector<WaitingPod> PodTable::Waiting() const {
  std::vector<WaitingPod> waiting;
  for (const auto& [name, slot] : slots_) {
    const auto due = slot.comes_back_at();
    if (!due || !slot.wanted) continue;
    waiting.push_back(
        {.name = name,
         .priority = slot.wanted->priority,
         .due = *due,
         .admitted = !starved_ && Admit(slot.wanted->pod, conditions_, profile_).admit});
  }
  return waiting;
}

// At most one between two passes.
void PodTable::ComeBack(Instant now) {
  if (stopping_) return;
  while (!came_back_) {
    const std::vector<WaitingPod> waiting = Waiting();
    const auto next = NextToComeBack(waiting);
    if (!next || waiting[*next].due > now) return;
    // From now on it is a pod like any other; a pod that finds no space does not delay others.
    PodSlot& slot = slots_.find(waiting[*next].name)->second;
    slot.state = NotHere{};
    ++changes_.all;
    StartIfMay(slot, now);
    came_back_ = slot.on_node() != nullptr || slot.AwaitsRoom();
  }
}

// If a pod has come back since the last pass, the others wait for the next pass.
std::optional<Instant> PodTable::NextComeBack() const {
  if (came_back_ || stopping_) return std::nullopt;
  const std::vector<WaitingPod> waiting = Waiting();
  const auto next = NextToComeBack(waiting);
  return next ? std::optional(waiting[*next].due) : std::nullopt;
}

}  // namespace jettison
