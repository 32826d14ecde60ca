#include "agent/pods/pod_slot.h"

#include <algorithm>
#include <utility>

namespace jettison {

PodStatus FailedStatus(const std::string& reason, const std::string& message) {
  PodStatus status;
  status.phase = PodPhase::kFailed;
  status.reason = reason;
  status.message = message;
  return status;
}

bool PodSlot::TakesUpRoom(std::int32_t priority) const {
  const PodWorker* const own = worker();
  if (own != nullptr) return own->activity() != PodActivity::kFinished;
  return AwaitsRoom() && wanted && wanted->priority >= priority;
}

Occupant PodSlot::AsOccupant() const {
  const PodFacts& of = *facts();
  const PodWorker* const own = worker();
  const auto activity = own != nullptr ? own->activity() : PodActivity::kWaiting;
  return {.requests = of.requests,
          .priority = of.priority,
          .ending = activity == PodActivity::kTerminating || activity == PodActivity::kCleaningUp,
          .stays = own == nullptr || foreign};
}

PodView PodSlot::View(Instant now) const {
  PodView view;
  view.facts = facts();
  const PodFacts& of = *view.facts;
  const PodWorker* const own = worker();
  view.name = of.pod.name;
  view.namespace_ = of.pod.namespace_;
  view.uid = of.pod.uid;
  view.qos = of.qos;
  view.priority = of.priority;
  view.source = of.source;
  view.protection = of.protection;
  view.activity = own != nullptr ? own->activity() : PodActivity::kWaiting;
  view.status = Status(now);
  view.wanted = wanted != nullptr && !foreign;
  view.foreign = foreign;
  view.evictions = evictions;
  view.oom_kills = oom_kills;
  view.dead_containers = own != nullptr ? own->dead_runs().size() : 0;
  view.comes_back_at = comes_back_at();
  if (const NotHere* const waits = not_here()) view.refused_for = waits->refused_for;
  return view;
}

std::optional<SavedPod> PodSlot::Saved(const std::string& name) const {
  if (foreign || facts() == nullptr) return std::nullopt;
  SavedPod kept{.name = name,
                .uid = facts()->pod.uid,
                .evictions = evictions,
                .next_delay = come_back.next_delay()};
  if (const OnNode* const pod = on_node()) {
    kept.started = pod->started_at;
    kept.ending = pod->worker->SavedEviction();
    kept.ended_well = pod->worker->SavedOutcome();
  } else if (const auto back_at = comes_back_at()) {
    const PodStatus& status = not_here()->status;
    kept.absence =
        SavedAbsence{.reason = status.reason, .message = status.message, .comes_back_at = *back_at};
  }
  const bool as_new = kept.evictions == 0 && come_back.IsFresh() && !kept.ending && !kept.absence &&
                      !kept.ended_well;
  return as_new ? std::nullopt : std::optional(std::move(kept));
}

bool PodSlot::ResumeAbsence(const SavedPod& kept, Instant now) {
  evictions = kept.evictions;
  come_back.Resume(kept.next_delay);
  if (kept.absence) {
    const Instant latest = now + come_back.rule().max;
    state = NotHere{.status = FailedStatus(kept.absence->reason, kept.absence->message),
                    .comes_back_at = std::min(kept.absence->comes_back_at, latest)};
  } else if (kept.ending) {
    // Its clean-up ended while no agent ran.
    state = NotHere{.status = FailedStatus(kept.ending->reason, kept.ending->message),
                    .comes_back_at = come_back.NextStart(kept.started.value_or(now), now)};
  } else {
    return false;
  }
  returns = true;
  return true;
}

}  // namespace jettison
