#include "agent/pods/remembered_pods.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

namespace jettison {
namespace {

PodStatus StatusOf(const std::string& reason, const std::string& message) {
  PodStatus status;
  status.phase = PodPhase::kFailed;
  status.reason = reason;
  status.message = message;
  return status;
}

std::optional<SavedPod> SavedOf(const std::string& name, const PodSlot& slot) {
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

// Whether the kept state of a pod that is not on the node may still be needed. Until the wanted
// pods are known, every state may be. After that, a manifest may be missing only for a moment; the
// state of a pod that is missing for long is dropped.
bool IsAwaited(const SavedPod& pod, const PodSlots& slots, Instant now) {
  if (!slots.sources_ready()) return true;
  const Duration patience = slots.come_back_rule().reset_after;
  if (pod.absence) return now < pod.absence->comes_back_at + patience;
  return pod.ending && now < pod.ending->kill_at + patience;
}

}  // namespace

void RememberedPods::Remember(std::vector<SavedPod> pods) {
  for (SavedPod& pod : pods) {
    std::string name = pod.name;
    pods_.insert_or_assign(std::move(name), std::move(pod));
  }
}

std::optional<SavedPod> RememberedPods::Take(const std::string& name, std::string_view uid) {
  const auto found = pods_.find(name);
  if (found == pods_.end() || found->second.uid != uid) return std::nullopt;
  return std::move(pods_.extract(found).mapped());
}

std::vector<SavedPod> RememberedPods::Saved(const PodSlots& slots, Instant now) const {
  std::vector<SavedPod> kept;
  for (const auto& [name, slot] : slots.all()) {
    if (auto pod = SavedOf(name, slot)) kept.push_back(*std::move(pod));
  }
  const std::size_t present = kept.size();  // in the order of their names
  for (const auto& [name, pod] : pods_) {
    const auto those = std::span(kept).first(present);
    const bool told = std::ranges::binary_search(those, name, {}, &SavedPod::name);
    if (!told && IsAwaited(pod, slots, now)) kept.push_back(pod);
  }
  return kept;
}

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

}  // namespace jettison
