#include "agent/passes/spared_pods.h"

#include <algorithm>
#include <utility>

namespace jettison {
namespace {

bool IsIn(std::span<const SparedPod> spared, const PodFacts& pod) {
  return std::ranges::find(spared, pod.pod.uid, &SparedPod::uid) != spared.end();
}

std::shared_ptr<const PodFacts> ProtectedCopyOf(const PodFacts& pod) {
  auto copy = std::make_shared<PodFacts>(pod);
  copy->protection = Protection::kSpared;
  return copy;
}

}  // namespace

SparedPods::Pods SparedPods::Among(Pods active, std::vector<SparedPod> spared) {
  Clear();
  spared_ = std::move(spared);
  for (const PodFacts*& pod : active) {
    if (pod->IsProtected() || !IsIn(spared_, *pod)) continue;
    protected_.push_back({.pod = pod, .facts = ProtectedCopyOf(*pod)});
    pod = protected_.back().facts.get();
  }
  return active;
}

std::vector<std::shared_ptr<const PodFacts>> SparedPods::AsSeen(
    std::vector<std::shared_ptr<const PodFacts>> pods) const {
  for (auto& pod : pods) {
    const auto found = std::ranges::find(protected_, pod.get(), &Protected::pod);
    if (found != protected_.end()) pod = found->facts;
  }
  return pods;
}

void SparedPods::ShowIn(std::vector<PodView>& views) const {
  for (PodView& view : views) {
    const auto found = std::ranges::find(protected_, view.facts.get(), &Protected::pod);
    if (found == protected_.end()) continue;
    view.facts = found->facts;
    view.protection = Protection::kSpared;
  }
}

SparedPods::Pods SparedPods::Themselves(const Pods& seen) const {
  Pods pods = seen;
  for (const PodFacts*& pod : pods) {
    const auto found = std::ranges::find_if(
        protected_, [pod](const Protected& one) { return one.facts.get() == pod; });
    if (found != protected_.end()) pod = found->pod;
  }
  return pods;
}

}  // namespace jettison
