// What the table of pods keeps over restarts of the agent.
#include <algorithm>
#include <utility>

#include "agent/pod_table.h"

namespace jettison {
namespace {

PodStatus StatusOf(const std::string& reason, const std::string& message) {
  PodStatus status;
  status.phase = PodPhase::kFailed;
  status.reason = reason;
  status.message = message;
  return status;
}

}  // namespace

void PodTable::Remember(std::vector<KeptPod> pods) {
  for (KeptPod& pod : pods) {
    std::string name = pod.name;
    remembered_.insert_or_assign(std::move(name), std::move(pod));
  }
}

std::optional<KeptPod> PodTable::TakeRemembered(const std::string& name, std::string_view uid) {
  const auto found = remembered_.find(name);
  if (found == remembered_.end() || found->second.uid != uid) return std::nullopt;
  KeptPod kept = std::move(found->second);
  remembered_.erase(found);
  return kept;
}

// A pod that an agent before has evicted, and of which nothing is left on the node.
void PodTable::StayOut(const std::string& name, Slot& slot, Instant now) {
  // One that is there and cannot be read yet is taken over with what is known of it later.
  if (slot.worker || SlotOf(slot.wanted->pod.uid) != nullptr) return;
  const auto kept = TakeRemembered(name, slot.wanted->pod.uid);
  if (!kept) return;
  slot.evictions = kept->evictions;
  slot.come_back.Resume(kept->next_delay);
  if (kept->absence) {
    slot.comes_back_at = std::min(kept->absence->comes_back_at, now + come_back_rule_.max);
    slot.rest = StatusOf(kept->absence->reason, kept->absence->message);
  } else if (kept->ending) {
    // Its clean-up ended when nobody looked.
    slot.comes_back_at = slot.come_back.NextStart(kept->started.value_or(now), now);
    slot.rest = StatusOf(kept->ending->reason, kept->ending->message);
  } else {
    return;
  }
  slot.returns = true;
  edges_->log.Info(
      "pod was evicted before the agent started and stays out for its back-off",
      {{"pod", name},
       {"wait", FormatDuration(std::max(Elapsed(now, *slot.comes_back_at), Duration(0)))}});
}

std::optional<KeptPod> PodTable::KeptOf(const std::string& name, const Slot& slot) {
  if (slot.foreign || (!slot.worker && !slot.wanted)) return std::nullopt;
  KeptPod pod{.name = name,
              .uid = (slot.worker ? slot.facts : slot.wanted)->pod.uid,
              .evictions = slot.evictions,
              .next_delay = slot.come_back.next_delay()};
  if (slot.worker) {
    pod.started = slot.started_at;
    pod.ending = slot.worker->KeptEviction();
    pod.runs = slot.worker->KeptRuns();
  } else if (slot.comes_back_at) {
    pod.absence = KeptAbsence{.reason = slot.rest ? slot.rest->reason : "",
                              .message = slot.rest ? slot.rest->message : "",
                              .comes_back_at = *slot.comes_back_at};
  }
  const bool as_new = pod.evictions == 0 && slot.come_back.IsFresh() && !pod.ending &&
                      !pod.absence && pod.runs.empty();
  return as_new ? std::nullopt : std::optional(std::move(pod));
}

// Whether one that nobody has asked for may be asked for yet. Before anybody has said what he wants
// each may be. Afterwards manifests that are away for a moment come back; who stays away for long
// begins anew.
bool PodTable::IsAwaited(const KeptPod& pod, Instant now) const {
  if (!told_wanted_) return true;
  const Duration patience = come_back_rule_.reset_after;
  if (pod.absence) return now < pod.absence->comes_back_at + patience;
  return pod.ending && now < pod.ending->kill_at + patience;
}

std::vector<KeptPod> PodTable::Kept(Instant now) const {
  std::vector<KeptPod> pods;
  for (const auto& [name, slot] : slots_) {
    if (auto pod = KeptOf(name, slot)) pods.push_back(*std::move(pod));
  }
  for (const auto& [name, pod] : remembered_) {
    const bool told = std::ranges::find(pods, name, &KeptPod::name) != pods.end();
    if (!told && IsAwaited(pod, now)) pods.push_back(pod);
  }
  return pods;
}

}  // namespace jettison
