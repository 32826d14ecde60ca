#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "agent/pods/pod_table.h"

namespace jettison {
namespace {

PodStatus StatusOf(const std::string& reason, const std::string& message) {
  PodStatus status;
  status.phase = PodPhase::kFailed;
  status.reason = reason;
  status.message = message;
  return status;
}

std::optional<SavedPod> SavedOfSlot(const std::string& name, const PodSlot& slot) {
  if (slot.foreign || slot.facts() == nullptr) return std::nullopt;
  SavedPod kept{.name = name,
                .uid = slot.facts()->pod.uid,
                .evictions = slot.evictions,
                .next_delay = slot.come_back.next_delay()};
  if (const OnNode* const pod = slot.on_node()) {
    kept.started = pod->started_at;
    kept.ending = pod->worker->SavedEviction();
    kept.ended_well = pod->worker->SavedOutcome();
  } else if (const auto comes_back_at = slot.comes_back_at()) {
    const PodStatus& status = slot.not_here()->status;
    kept.absence = SavedAbsence{
        .reason = status.reason, .message = status.message, .comes_back_at = *comes_back_at};
  }
  const bool as_new = kept.evictions == 0 && slot.come_back.IsFresh() && !kept.ending &&
                      !kept.absence && !kept.ended_well;
  return as_new ? std::nullopt : std::optional(std::move(kept));
}

// Restores in its slot the absence of a pod that an earlier agent has evicted, and of which nothing
// is left on the node. False: it was not evicted.
bool ResumeAbsence(PodSlot& slot, const SavedPod& kept, Instant now) {
  slot.evictions = kept.evictions;
  slot.come_back.Resume(kept.next_delay);
  if (kept.absence) {
    const Instant latest = now + slot.come_back.rule().max;
    slot.state = NotHere{.status = StatusOf(kept.absence->reason, kept.absence->message),
                         .comes_back_at = std::min(kept.absence->comes_back_at, latest)};
  } else if (kept.ending) {
    // Its clean-up ended while no agent ran.
    slot.state =
        NotHere{.status = StatusOf(kept.ending->reason, kept.ending->message),
                .comes_back_at = slot.come_back.NextStart(kept.started.value_or(now), now)};
  } else {
    return false;
  }
  slot.returns = true;
  return true;
}

}  // namespace

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
    if (auto pod = SavedOfSlot(name, slot)) kept.push_back(*std::move(pod));
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
  if (!ResumeAbsence(slot, *kept, now)) {
    // The runtime may still report it, where it could not read the pod yet.
    if (kept->ended_well) Remember({*std::move(kept)});
    return;
  }
  dependencies_->log.Info(
      "pod was evicted before and is not started before its back-off is over",
      {{"pod", name},
       {"wait", FormatDuration(std::max(Elapsed(now, *slot.comes_back_at()), Duration(0)))}});
}

}  // namespace jettison
