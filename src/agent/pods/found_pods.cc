#include "agent/pods/found_pods.h"

#include <algorithm>
#include <string>
#include <utility>

namespace jettison {
namespace {

bool AnyRuns(const RuntimePod& pod) {
  return std::ranges::any_of(pod.containers,
                             [](const ContainerRecord& record) { return !record.exit; });
}

}  // namespace

void FoundPods::Recall(RuntimePod pod, Instant now) {
  Enter(pod, now).Recall(std::move(pod.containers), now);
}

void FoundPods::Adopt(RuntimePod pod, Instant now) {
  PodSlot* const known = slots_->OfPod(pod.pod.uid);
  if (pod.unread && known != nullptr) return NoteInPlace(*known, std::move(pod));
  if (pod.foreign && (known != nullptr || (policy_ == AdoptPolicy::kNone && !pod.unread))) return;
  // A pod that waits to be created does so because the pod on the node could not be read until now.
  const bool goes_on = known != nullptr && !known->foreign && !known->worker()->AwaitsCreation();
  PodWorker& worker = goes_on ? *known->worker() : Enter(pod, now);
  worker.Adopt(std::move(pod.containers), now);
}

void FoundPods::NoteInPlace(const PodSlot& slot, RuntimePod pod) const {
  if (slot.foreign) return;
  const auto facts = std::make_shared<const PodFacts>(FactsOf(std::move(pod.pod), profile_));
  ContainerRuns runs(facts->pod, edges_->restart_rule);
  runs.Take(std::move(pod.containers));
  slot.worker()->NoteInPlace(facts, std::move(runs));
}

PodWorker& FoundPods::Enter(RuntimePod& pod, Instant now) {
  std::string name = FullName(pod.pod);
  if (!pod.foreign) ForgetWorkerOf(pod.pod.uid);
  // If two pods have the same name, the second gets a slot with its UID in the name. The plain name
  // stays free for the pod of a manifest.
  const auto taken = slots_->all().find(name);
  const bool is_taken = taken != slots_->all().end() && taken->second.on_node() != nullptr;
  if (pod.foreign || is_taken) name += "/" + pod.pod.uid;
  PodSlot& slot = slots_->At(name);
  const auto kept = KeptOf(name, slot, pod, now);
  PodFacts facts = FactsOf(std::move(pod.pod), profile_);
  // The agent never ends the pod.
  if (pod.foreign) facts.source = pod.origin;
  const bool looked_at_only = !pod.unread && policy_ == AdoptPolicy::kObserve;
  if (pod.foreign && (pod.spared || looked_at_only)) {
    facts.protection = Protection::kObserved;
  }
  slot.wanted = std::make_shared<const PodFacts>(std::move(facts));
  slot.foreign = pod.foreign;
  slot.unread = pod.unread;
  slot.kill_at_once = pod.kill_at_once;
  OnNode& entered =
      slot.state.emplace<OnNode>(OnNode{.facts = slot.wanted,
                                        .worker = std::make_unique<PodWorker>(slot.wanted, *edges_),
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
  const char* const what = pod.unread    ? "pod of an earlier agent cannot be taken over yet"
                           : pod.foreign ? "foreign pod found"
                                         : "pod adopted";
  edges_->log.Info(what, {{"pod", FullName(entered.facts->pod)}, {"uid", entered.facts->pod.uid}});
  return *entered.worker;
}

// What is known of a pod that is found. One that was evicted and of which nothing runs is what its
// eviction has left, for example because it could not be read then. What is known of a pod that
// cannot be read, apart from its eviction, is kept until it can be.
std::optional<SavedPod> FoundPods::KeptOf(const std::string& name, const PodSlot& slot,
                                          const RuntimePod& pod, Instant now) {
  const std::string& uid = pod.pod.uid;
  if (pod.unread) {
    const SavedPod* const known = remembered_->Find(FullName(pod.pod), uid);
    if (known == nullptr || !known->ending) return std::nullopt;
    return SavedPod{.evictions = known->evictions,
                    .next_delay = known->next_delay,
                    .started = known->started,
                    .ending = known->ending};
  }
  if (pod.foreign) return std::nullopt;
  if (auto out = StillOut(slot, uid, now)) return out;
  auto kept = remembered_->Take(name, uid);
  if (!kept || !kept->absence) return kept;
  if (AnyRuns(pod)) {
    kept->absence.reset();  // it has come back since
  } else {
    EndWhatIsLeft(*kept, now);
  }
  return kept;
}

// A pod of this agent that could not be read until now replaces its stand-in, and a worker that
// waits for its place.
void FoundPods::ForgetWorkerOf(std::string_view uid) {
  slots_->LoseForeign(uid);
  PodSlot* const slot = slots_->OfPod(uid);
  if (slot != nullptr && !slot->foreign) slot->state = NotAsked{};
}

}  // namespace jettison
