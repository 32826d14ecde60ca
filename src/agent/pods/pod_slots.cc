#include "agent/pods/pod_slots.h"

#include <algorithm>
#include <utility>

namespace jettison {
namespace {

// Whether the pod with this UID is on the node, in this slot.
bool Has(const PodSlot& slot, std::string_view uid) {
  const OnNode* const pod = slot.on_node();
  return pod != nullptr && pod->facts->pod.uid == uid;
}

}  // namespace

PodSlot& PodSlots::At(const std::string& name) {
  return slots_.try_emplace(name, come_back_rule_).first->second;
}

const PodSlot* PodSlots::OfPod(std::string_view uid) const {
  const auto slot =
      std::ranges::find_if(slots_, [&](const auto& entry) { return Has(entry.second, uid); });
  return slot == slots_.end() ? nullptr : &slot->second;
}

PodSlot* PodSlots::OfPod(std::string_view uid) {
  return const_cast<PodSlot*>(std::as_const(*this).OfPod(uid));  // the slot is ours and not const
}

void PodSlots::LoseForeign(std::string_view uid) {
  PodSlot* const slot = OfPod(uid);
  if (slot == nullptr || !slot->foreign) return;
  slot->state = NotHere{};
  slot->wanted = nullptr;
}

void PodSlots::EraseEmpty() {
  std::erase_if(slots_, [](const auto& entry) { return entry.second.facts() == nullptr; });
}

void PodSlots::NoteGone(const Pod& pod) {
  constexpr std::size_t kMostGone = 64;
  gone_.emplace_back(pod.uid, FullName(pod));
  if (gone_.size() > kMostGone) gone_.pop_front();
}

std::string PodSlots::NameOfGone(std::string_view uid) const {
  const auto pod = std::ranges::find(gone_, uid, [](const auto& entry) { return entry.first; });
  return pod == gone_.end() ? std::string() : pod->second;
}

}  // namespace jettison
