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
  if (pod.foreign && (known != nullptr || (policy_ == AdoptPolicy::kNone && !pod.spared))) return;
  // A pod that waits to be created does so because that on the node was not taken over until now.
  const bool goes_on = known != nullptr && !known->foreign && !known->worker()->AwaitsCreation();
  PodWorker& worker = goes_on ? *known->worker() : Enter(pod, now);
  worker.Adopt(std::move(pod.containers), now);
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
  const auto kept = SavedOf(name, pod, now);
  PodFacts facts = FactsOf(std::move(pod.pod), profile_);
  // The agent never ends the pod.
  if (pod.foreign) facts.source = pod.origin;
  if (pod.foreign && (pod.spared || policy_ == AdoptPolicy::kObserve)) {
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
std::optional<SavedPod> FoundPods::SavedOf(const std::string& name, const RuntimePod& pod,
                                           Instant now) {
  if (pod.foreign) return std::nullopt;
  auto kept = remembered_->Take(name, pod.pod.uid);
  if (!kept || !kept->absence) return kept;
  if (AnyRuns(pod)) {
    kept->absence.reset();  // it has come back since
  } else {
    EndWhatIsLeft(*kept, now);
  }
  return kept;
}

// A pod of this agent replaces what was foreign until now, and a worker that waits for its place.
void FoundPods::ForgetWorkerOf(std::string_view uid) {
  slots_->LoseForeign(uid);
  PodSlot* const slot = slots_->OfPod(uid);
  if (slot != nullptr && !slot->foreign) slot->state = NotAsked{};
}

}  // namespace jettison
