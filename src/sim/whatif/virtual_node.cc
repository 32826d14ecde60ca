#include "sim/whatif/virtual_node.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace jettison {
namespace {

// By what part the growth of a pod that came back may differ from its earlier growth.
constexpr double kVaries = 0.25;

double SecondsBetween(Instant from, Instant to) {
  return std::max(std::chrono::duration<double>(Elapsed(from, to)).count(), 0.0);
}

template <typename Pods>
auto PlaceOf(Pods& pods, PodSlot slot) {
  return std::ranges::lower_bound(pods, slot, {}, &VirtualPod::slot);
}

void Add(Observations& seen, Signal signal, double amount) {
  auto& each = seen[signal];
  if (!each) return;
  const std::int64_t available = each->available + std::llround(amount);
  each->available =
      std::clamp<std::int64_t>(available, 0, std::max<std::int64_t>(each->capacity, 0));
}

// Adds what the recording has for a pod that is absent here.
void Free(const PodStats& stats, Observations& seen) {
  if (stats.process_count) {
    Add(seen, Signal::kPidAvailable, static_cast<double>(*stats.process_count));
  }
  if (stats.swap_bytes) Add(seen, Signal::kSwapAvailable, static_cast<double>(*stats.swap_bytes));
  if (!stats.ephemeral_storage) return;
  const FsUsage& disk = *stats.ephemeral_storage;
  Add(seen, Signal::kNodeFsAvailable, static_cast<double>(disk.used_bytes.value_or(0)));
  Add(seen, Signal::kNodeFsInodesFree, static_cast<double>(disk.inodes_used.value_or(0)));
}

}  // namespace

double VirtualPod::MemoryAt(const RecordedCourse& course, Instant at) const {
  double memory = 0;
  switch (is) {
    case Is::kAway: return 0;
    case Is::kEnding:
      if (at >= gone) return 0;
      [[fallthrough]];
    case Is::kGoingOn: memory = from + growth.likely * SecondsBetween(since, at); break;
    case Is::kBack: memory = at < since ? 0 : course.AmountAtAge(life, Elapsed(since, at)); break;
  }
  return limit ? std::min(memory, static_cast<double>(*limit)) : memory;
}

VirtualPod::Spread VirtualPod::SpreadAt(const RecordedCourse& course, Instant at) const {
  const double seconds = SecondsBetween(since, at);
  switch (is) {
    case Is::kAway:
    case Is::kEnding: return {};
    case Is::kGoingOn:
      return {.less = (growth.likely - growth.least) * seconds,
              .more = (growth.most - growth.likely) * seconds};
    case Is::kBack: break;
  }
  const Duration age = Elapsed(since, at);
  const double growing = std::max(course.GrowthAtAge(life, age), 0.0);
  const double grown =
      std::max(course.AmountAtAge(life, age) - course.AmountAtAge(life, Duration{0}), 0.0);
  const auto in = [&](Duration shift) {
    return growing * std::chrono::duration<double>(shift).count() + grown * kVaries;
  };
  return {.less = in(late), .more = in(early)};
}

std::optional<Instant> VirtualPod::NextChange() const {
  switch (is) {
    case Is::kGoingOn:
    case Is::kBack: return std::nullopt;
    case Is::kEnding: return gone;
    case Is::kAway: return due;
  }
  __builtin_unreachable();
}

VirtualPod* VirtualPods::Find(PodSlot slot) {
  const auto place = PlaceOf(pods_, slot);
  return place != pods_.end() && place->slot == slot ? &*place : nullptr;
}

const VirtualPod* VirtualPods::Find(PodSlot slot) const {
  const auto place = PlaceOf(pods_, slot);
  return place != pods_.end() && place->slot == slot ? &*place : nullptr;
}

VirtualPod& VirtualPods::Put(VirtualPod pod) {
  const auto place = PlaceOf(pods_, pod.slot);
  if (place != pods_.end() && place->slot == pod.slot) return *place = pod;
  return *pods_.insert(place, pod);
}

double VirtualPods::FreedAt(const Segment& segment, const std::vector<RecordedCourse>& courses,
                            Instant at) const {
  double freed = 0;
  for (const VirtualPod& pod : pods_) {
    freed += segment.MemoryAt(pod.slot, at) - pod.MemoryAt(courses[pod.slot], at);
  }
  return freed;
}

VirtualPod::Spread VirtualPods::SpreadAt(const std::vector<RecordedCourse>& courses,
                                         Instant at) const {
  VirtualPod::Spread spread;
  for (const VirtualPod& pod : pods_) {
    const VirtualPod::Spread each = pod.SpreadAt(courses[pod.slot], at);
    spread.less += each.less;
    spread.more += each.more;
  }
  return spread;
}

double VirtualPods::MemoryAt(PodSlot slot, const Segment& segment,
                             const std::vector<RecordedCourse>& courses, Instant at) const {
  const VirtualPod* pod = Find(slot);
  return pod != nullptr ? pod->MemoryAt(courses[slot], at) : segment.MemoryAt(slot, at);
}

Observations VirtualPods::SeenAt(const Segment& segment, const std::vector<RecordedCourse>& courses,
                                 Instant at) const {
  Observations seen = segment.SeenAt(at);
  if (empty()) return seen;
  const double freed = FreedAt(segment, courses, at);
  Add(seen, Signal::kMemoryAvailable, freed);
  Add(seen, Signal::kAllocatableMemoryAvailable, freed);
  FreeOthers(segment, seen);
  return seen;
}

void VirtualPods::FreeOthers(const Segment& segment, Observations& seen) const {
  for (const VirtualPod& pod : pods_) {
    if (pod.is != VirtualPod::Is::kAway) continue;
    const FramePod* recorded = FiguresOf(segment.to(), pod.slot);
    if (recorded != nullptr && recorded->stats != nullptr) Free(*recorded->stats, seen);
  }
}

}  // namespace jettison
