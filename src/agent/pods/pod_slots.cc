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

std::optional<Instant> PodSlot::comes_back_at() const {
  const auto* const out = std::get_if<StaysOut>(&state);
  return out == nullptr ? std::nullopt : std::optional(out->comes_back_at);
}

PodStatus PodSlot::Status(Instant now) const {
  struct StatusOf {
    Instant now;
    PodStatus operator()(const NotAsked&) const { return {}; }
    PodStatus operator()(const OnNode& pod) const { return pod.worker->Status(now); }
    PodStatus operator()(const StaysOut& pod) const { return pod.status; }
    PodStatus operator()(const Refused& pod) const { return pod.status; }
    PodStatus operator()(const AwaitsRoom& pod) const { return pod.status; }
  };
  return std::visit(StatusOf{now}, state);
}

PodSlot& PodSlots::At(const std::string& name) {
  assert(changing_ > 0);
  return slots_.try_emplace(name, come_back_rule_).first->second;
}

const PodSlot* PodSlots::OfPod(std::string_view uid) const {
  const auto last = last_found_.find(uid);
  if (last != last_found_.end() && Has(*last->second, uid)) return last->second;
  const auto slot =
      std::ranges::find_if(slots_, [&](const auto& entry) { return Has(entry.second, uid); });
  if (slot == slots_.end()) return nullptr;
  Index(slot->second.on_node()->facts->pod, slot->second);
  return &slot->second;
}

void PodSlots::Index(const Pod& pod, const PodSlot& slot) const {
  const auto known = last_found_.find(std::string_view(pod.uid));
  if (known != last_found_.end()) {
    known->second = &slot;
    return;
  }
  if (last_found_.size() > 2 * slots_.size()) ForgetGone();
  last_found_.emplace(pod.uid, &slot);
}

void PodSlots::ForgetGone() const {
  std::erase_if(last_found_, [](const auto& entry) { return !Has(*entry.second, entry.first); });
}

PodSlot* PodSlots::OfPod(std::string_view uid) {
  assert(changing_ > 0);
  return const_cast<PodSlot*>(std::as_const(*this).OfPod(uid));  // the slot is ours and not const
}

void PodSlots::LoseForeign(std::string_view uid) {
  PodSlot* const slot = OfPod(uid);
  if (slot == nullptr || !slot->foreign) return;
  slot->state = NotAsked{};
  slot->wanted = nullptr;
}

void PodSlots::EraseEmpty() {
  const auto is_empty = [](const auto& entry) { return entry.second.facts() == nullptr; };
  if (std::ranges::none_of(slots_, is_empty)) return;
  // First what refers to them.
  ForgetGone();
  std::erase_if(slots_, is_empty);
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
