#include "sim/whatif/comebacks.h"

#include <algorithm>

#include "core/pods/admission.h"

namespace jettison {

Duration Comebacks::Backoff(const WhatIfModel& model, PodSlot slot, Instant now) {
  const auto known = std::ranges::find(known_, slot, &Known::slot);
  if (known == known_.end()) {
    known_.push_back({.slot = slot, .next = model.backoff * 2, .back = now});
    return model.backoff;
  }
  const bool forgotten = Elapsed(known->back, now) >= model.backoff_reset;
  const Duration backoff = forgotten ? model.backoff : known->next;
  known->next = std::min(backoff * 2, model.max_backoff);
  return backoff;
}

void Comebacks::Back(PodSlot slot, Instant at) {
  const auto known = std::ranges::find(known_, slot, &Known::slot);
  if (known != known_.end()) known->back = at;
}

VirtualPod* Comebacks::Next(const WhatIfNode& node, VirtualPods& pods, NodeConditions conditions,
                            Instant now) {
  VirtualPod* first = nullptr;
  const auto priority = [&node](const VirtualPod& pod) {
    return node.roster[pod.slot].facts->priority;
  };
  for (VirtualPod& pod : pods) {
    if (pod.is != VirtualPod::Is::kAway || !pod.due) continue;
    if (first == nullptr || priority(pod) > priority(*first) ||
        (priority(pod) == priority(*first) && *pod.due < *first->due)) {
      first = &pod;
    }
  }
  if (first == nullptr || *first->due > now) return nullptr;
  const Pod& pod = node.roster[first->slot].facts->pod;
  return Admit(pod, conditions, node.profile).admit ? first : nullptr;
}

}  // namespace jettison
