#include "sim/frames/frame.h"

#include <algorithm>

namespace jettison {

const FramePod* FiguresOf(const Frame& frame, PodSlot slot) {
  const auto found = std::ranges::lower_bound(frame.pods, slot, {}, &FramePod::slot);
  return found != frame.pods.end() && found->slot == slot ? &*found : nullptr;
}

PodSlot PodRoster::SlotOf(const std::shared_ptr<const PodFacts>& facts) {
  const auto [entry, is_new] = slots_.try_emplace(facts->pod.uid, pods_.size());
  if (is_new) {
    pods_.push_back({.facts = facts, .name = FullName(facts->pod)});
  } else {
    pods_[entry->second].facts = facts;
  }
  return entry->second;
}

std::optional<PodSlot> PodRoster::Find(std::string_view uid) const {
  const auto found = slots_.find(uid);
  if (found == slots_.end()) return std::nullopt;
  return found->second;
}

}  // namespace jettison
