#include "sim/whatif/segment.h"

#include <algorithm>

namespace jettison {
namespace {

double Line(double from, double to, double share) {
  return from + (to - from) * share;
}

bool WasEnded(const Frame& frame, PodSlot slot) {
  return std::ranges::find(frame.ends, slot, &RecordedEnd::slot) != frame.ends.end();
}

void SetAvailable(Frame& frame, Signal signal, std::int64_t available) {
  if (frame.seen[signal]) frame.seen[signal]->available = available;
}

// What pods that were ended took between the frame and their end. They never were there together
// at their most, but without the evictions they would have been.
std::int64_t TakenByEnded(const Frame& from, const Frame& to) {
  std::int64_t taken = 0;
  for (const FramePod& pod : to.between) {
    if (!WasEnded(to, pod.slot)) continue;
    taken += std::max<std::int64_t>(pod.peak - MemoryIn(from, pod.slot).value_or(0), 0);
  }
  return taken;
}

// The pods of the low: those of the frame before, and those that came in between.
std::vector<FramePod> PodsOfLow(const Frame& from, const Frame& to) {
  std::vector<FramePod> pods = from.pods;
  for (const FramePod& between : to.between) {
    const auto place = std::ranges::lower_bound(pods, between.slot, {}, &FramePod::slot);
    if (place == pods.end() || place->slot != between.slot) {
      pods.insert(place, FramePod{.slot = between.slot, .memory = between.peak});
    } else if (between.peak > place->memory) {
      place->memory = between.peak;
    }
  }
  return pods;
}

}  // namespace

std::optional<std::int64_t> MemoryIn(const Frame& frame, PodSlot slot) {
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

double Segment::MemoryAt(PodSlot slot, Instant at) const {
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

std::optional<Frame> LowBetween(const Frame& from, const Frame& to) {
  const auto& before = from.seen[Signal::kMemoryAvailable];
  const auto& after = to.seen[Signal::kMemoryAvailable];
  if (!to.lowest_memory || !before || !after) return std::nullopt;
  const std::int64_t taken = TakenByEnded(from, to);
  const std::int64_t low = std::min(*to.lowest_memory, before->available - taken);
  if (low >= std::min(before->available, after->available)) return std::nullopt;
  Frame frame = from;
  frame.not_before = from.at;
  frame.not_after = to.at;
  frame.at = from.at + Elapsed(from.at, to.at) / 2;
  SetAvailable(frame, Signal::kMemoryAvailable, low);
  if (to.lowest_allocatable) {
    const auto& pods = from.seen[Signal::kAllocatableMemoryAvailable];
    SetAvailable(frame, Signal::kAllocatableMemoryAvailable,
                 std::min(*to.lowest_allocatable, pods ? pods->available - taken : 0));
  }
  for (const Signal signal : {Signal::kMemoryAvailable, Signal::kAllocatableMemoryAvailable}) {
    if (frame.seen[signal] && frame.seen[signal]->time) frame.seen[signal]->time = frame.at;
  }
  frame.pods = PodsOfLow(from, to);
  frame.between.clear();
  frame.lowest_memory.reset();
  frame.lowest_allocatable.reset();
  frame.ends.clear();
  frame.pass = nullptr;
  frame.follows = frame.breaks = frame.restarted = frame.is_evicting = false;
  return frame;
}

}  // namespace jettison
