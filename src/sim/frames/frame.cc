#include "sim/frames/frame.h"

#include <algorithm>

namespace jettison {

const FramePod* FindPod(const std::vector<FramePod>& pods, PodIndex slot) {
  const auto found = std::ranges::lower_bound(pods, slot, {}, &FramePod::slot);
  return found != pods.end() && found->slot == slot ? &*found : nullptr;
}

const FramePod* FiguresOf(const Frame& frame, PodIndex slot) {
  return FindPod(frame.pods, slot);
}

PodIndex PodRoster::SlotOf(const std::shared_ptr<const PodFacts>& facts) {
  const auto [entry, is_new] = slots_.try_emplace(facts->pod.uid, pods_.size());
  if (is_new) {
    pods_.push_back({.facts = facts, .name = FullName(facts->pod)});
  } else {
    pods_[entry->second].facts = facts;
  }
  return entry->second;
}

std::optional<PodIndex> PodRoster::Find(std::string_view uid) const {
  const auto found = slots_.find(uid);
  if (found == slots_.end()) return std::nullopt;
  return found->second;
}

namespace {

double Line(double from, double to, double share) {
  return from + (to - from) * share;
}

}  // namespace

std::optional<std::int64_t> MemoryIn(const Frame& frame, PodIndex slot) {
  const FramePod* figures = FiguresOf(frame, slot);
  if (figures == nullptr) return std::nullopt;
  return figures->memory;
}

double Segment::ShareAt(Instant at) const {
  const auto span = static_cast<double>(length().count());
  if (span <= 0) return 1;
  return std::clamp(static_cast<double>(Elapsed(from_.at, at).count()) / span, 0.0, 1.0);
}

std::optional<double> Segment::AvailableAt(Signal signal, Instant at) const {
  const auto& to = to_.seen[signal];
  if (!to) return std::nullopt;
  const auto& from = from_.seen[signal];
  const auto end = static_cast<double>(to->available);
  return from ? Line(static_cast<double>(from->available), end, ShareAt(at)) : end;
}

double Segment::MemoryAt(PodIndex slot, Instant at) const {
  const auto from = MemoryIn(from_, slot);
  const auto to = MemoryIn(to_, slot);
  return Line(static_cast<double>(from.value_or(0)), static_cast<double>(to.value_or(0)),
              ShareAt(at));
}

Observations Segment::SeenAt(Instant at) const {
  if (at >= to_.at) return to_.seen;
  Observations seen = to_.seen;
  for (const Signal signal : kAllSignals) {
    auto& each = seen[signal];
    if (!each) continue;
    each->available = static_cast<std::int64_t>(*AvailableAt(signal, at));
    if (each->time) each->time = at;
  }
  return seen;
}

}  // namespace jettison
