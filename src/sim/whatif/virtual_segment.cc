#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <ranges>
#include <tuple>

#include "core/evaluate/evaluate.h"
#include "sim/whatif/virtual_pods.h"

namespace jettison {
namespace {

// The time over which growth is measured.
constexpr Duration kGrowthSpan = std::chrono::milliseconds(200);
// The bounds of a time are derived from the growth over this span.
constexpr Duration kBoundsSpan = std::chrono::seconds(2);
// Two runs of the same pods never agree better than this (docs/simulation.md).
constexpr Duration kNeverSurer = std::chrono::seconds(1);
// Bounds are never wider than this.
constexpr double kFarthestSeconds = 3600;

Duration SpanOf(double in_seconds) {
  return std::chrono::duration_cast<Duration>(
      std::chrono::duration<double>(std::clamp(in_seconds, 0.0, kFarthestSeconds)));
}

// By what part the growth of a pod may differ from the one that it repeats.
constexpr double kVaries = 0.25;

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

// A pod for which the recording has no figures at that moment.
PodStats StatsOf(const KnownPod& pod) {
  const Pod& spec = pod.facts->pod;
  PodStats stats{
      .uid = spec.uid, .name = spec.name, .namespace_ = spec.namespace_, .has_memory = true};
  for (const Container& container : spec.containers) {
    stats.containers.push_back({.name = container.name});
  }
  return stats;
}

}  // namespace

std::int64_t LineOf(const Threshold& threshold, std::int64_t capacity) {
  constexpr Nanos kNanos = 1'000'000'000;
  const Nanos nanos = QuantityOf(threshold.value, capacity).ToNanos();
  // The smallest whole amount that is not below the line.
  const Nanos whole = nanos >= 0 ? (nanos + kNanos - 1) / kNanos : -(-nanos / kNanos);
  constexpr Nanos kMost = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::clamp(whole, -kMost, kMost));
}

bool MeetsNone(const std::vector<Threshold>& thresholds, const Observations& seen) {
  return std::ranges::none_of(thresholds, [&](const Threshold& each) {
    const auto& observed = seen[each.signal];
    return observed && observed->available < LineOf(each, observed->capacity);
  });
}

std::int64_t Reserved(const std::vector<Threshold>& thresholds, const Observations& seen) {
  const auto& memory = seen[Signal::kMemoryAvailable];
  std::int64_t reserved = 0;
  for (const Threshold& each : thresholds) {
    if (!memory || each.signal != Signal::kMemoryAvailable || !each.IsHard()) continue;
    reserved = std::max(reserved, LineOf(each, memory->capacity));
  }
  return reserved;
}

bool IsWatched(Signal signal) {
  return signal == Signal::kMemoryAvailable || signal == Signal::kAllocatableMemoryAvailable ||
         signal == Signal::kSwapAvailable;
}

double VirtualPod::MemoryAt(Instant at) const {
  if (is == Is::kEnding) return at >= gone ? 0 : held;
  if (is == Is::kAway) return 0;
  if (repeats.life == nullptr || at < repeats.born) return 0;
  const double memory = repeats.life->AmountAtAge(Elapsed(repeats.born, at));
  return limit ? std::min(memory, static_cast<double>(*limit)) : memory;
}

double VirtualPod::UnsureAt(Instant at) const {
  if (is != Is::kRunning) return 0;
  constexpr Duration kStep = std::chrono::seconds(1);
  const double now = MemoryAt(at);
  const double growing = std::max(MemoryAt(at + kStep) - now, 0.0) / SecondsOf(kStep);
  return growing * SecondsOf(unsure) + std::max(now - held, 0.0) * kVaries;
}

double VirtualSegment::FreedAt(Instant at) const {
  double freed = 0;
  for (const VirtualPod& pod : pods_ | std::views::values) {
    freed += segment_.MemoryAt(pod.slot, at) - pod.MemoryAt(at);
  }
  return freed;
}

double VirtualSegment::MemoryAt(PodIndex slot, Instant at) const {
  const VirtualPod* pod = FindIn(pods_, slot);
  return pod != nullptr ? pod->MemoryAt(at) : segment_.MemoryAt(slot, at);
}

Observations VirtualSegment::SeenAt(Instant at) const {
  Observations seen = segment_.SeenAt(at);
  if (pods_.empty()) return seen;
  const double freed = FreedAt(at);
  Add(seen, Signal::kMemoryAvailable, freed);
  Add(seen, Signal::kAllocatableMemoryAvailable, freed);
  for (const VirtualPod& pod : pods_ | std::views::values) {
    if (pod.is != VirtualPod::Is::kAway) continue;
    const FramePod* recorded = FiguresOf(segment_.to(), pod.slot);
    if (recorded != nullptr && recorded->stats != nullptr) Free(*recorded->stats, seen);
  }
  return seen;
}

double VirtualSegment::LeftAt(Instant at, Signal signal) const {
  return segment_.AvailableAt(signal, at).value_or(0) + FreedAt(at);
}

std::optional<Instant> VirtualSegment::FirstCrossing(const std::vector<Threshold>& thresholds,
                                                     const EvictionState& state, Instant from,
                                                     Instant to) const {
  const double freed_from = FreedAt(from);
  const double freed_to = FreedAt(to);
  std::optional<Instant> first;
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    const Signal signal = thresholds[i].signal;
    if (!IsWatched(signal) || state.first_observed_at[i]) continue;
    const auto a = segment_.AvailableAt(signal, from);
    const auto b = segment_.AvailableAt(signal, to);
    if (!a || !b) continue;
    const bool is_memory = signal != Signal::kSwapAvailable;
    const double before = *a + (is_memory ? freed_from : 0);
    const double after = *b + (is_memory ? freed_to : 0);
    const auto line =
        static_cast<double>(LineOf(thresholds[i], segment_.to().seen[signal]->capacity));
    if (before < line || after >= line) continue;
    const double share = std::clamp((before - line) / (before - after), 0.0, 1.0);
    const auto way = std::chrono::duration_cast<Duration>(Elapsed(from, to) * share);
    const Instant at = std::min(from + way + Duration{1}, to);
    if (!first || at < *first) first = at;
  }
  return first;
}

// In the order of namespace and name, as in the agent.
std::vector<PodIndex> VirtualSegment::SlotsThere(const Frame& recorded) const {
  std::vector<PodIndex> slots;
  for (const FramePod& figures : recorded.pods) {
    const VirtualPod* pod = FindIn(pods_, figures.slot);
    if (pod == nullptr ? !figures.is_ending : pod->IsThere()) slots.push_back(figures.slot);
  }
  for (const VirtualPod& pod : pods_ | std::views::values) {
    if (pod.IsThere() && FiguresOf(recorded, pod.slot) == nullptr) slots.push_back(pod.slot);
  }
  std::ranges::sort(slots, {},
                    [&](const PodIndex& slot) { return std::tie(node_.roster[slot].name, slot); });
  return slots;
}

void VirtualSegment::ActivePodsAt(Instant at, std::vector<PodStats>& stats,
                                  std::vector<ActivePod>& active) const {
  const Frame& recorded = at >= segment_.to().at ? segment_.to() : segment_.from();
  const std::vector<PodIndex> slots = SlotsThere(recorded);
  stats.clear();
  active.clear();
  stats.reserve(slots.size());
  for (const PodIndex slot : slots) {
    const KnownPod& pod = node_.roster[slot];
    const FramePod* figures = FiguresOf(recorded, slot);
    const bool has_stats = figures != nullptr && figures->stats != nullptr;
    PodStats& each = stats.emplace_back(has_stats ? *figures->stats : StatsOf(pod));
    each.has_memory = true;
    each.memory_working_set_bytes = static_cast<std::uint64_t>(std::max(MemoryAt(slot, at), 0.0));
    active.push_back({.facts = pod.facts.get(), .stats = &each});
  }
}

void VirtualSegment::MeasureGrowth(Instant at, const std::vector<ActivePod>& active,
                                   PaceInput& pace) const {
  const Instant before = std::max(at - kGrowthSpan, segment_.from().at);
  const Instant after = before == at ? std::min(at + kGrowthSpan, segment_.to().at) : at;
  const double span = SecondsOf(Elapsed(before, after));
  if (span <= 0) return;
  double of_pods = 0;
  for (const ActivePod& pod : active) {
    const auto slot = node_.roster.Find(pod.facts->pod.uid);
    if (pod.facts->IsProtected() || !slot) continue;
    of_pods += (MemoryAt(*slot, after) - MemoryAt(*slot, before)) / span;
  }
  pace.growth = std::llround((LeftAt(before, pace.signal) - LeftAt(after, pace.signal)) / span);
  pace.growth_of_pods = std::llround(of_pods);
}

TimeBounds VirtualSegment::BoundsAt(Instant at, const std::optional<TimeBounds>& met) const {
  TimeBounds bounds{.earliest = std::min(segment_.from().not_before, at - kNeverSurer),
                    .at = at,
                    .latest = std::max(segment_.to().not_after, at + kNeverSurer)};
  if (met) {
    bounds.earliest = std::min(bounds.earliest, at - Elapsed(met->earliest, met->at));
    bounds.latest = std::max(bounds.latest, at + Elapsed(met->at, met->latest));
  }
  if (pods_.empty()) return bounds;
  // What happened since the first difference is known no better than from one sample to the next.
  const Duration unsure =
      Elapsed(segment_.from().not_before, segment_.to().not_after) + kNeverSurer;
  bounds.earliest = std::min(bounds.earliest, at - unsure);
  bounds.latest = std::max(bounds.latest, at + unsure);
  const Instant before = std::max(at - kBoundsSpan, segment_.from().at);
  const double span = std::max(SecondsOf(Elapsed(before, at)), 0.001);
  constexpr double kSlowest = 1024;  // bytes a second
  const double growth = std::max((LeftAt(before) - LeftAt(at)) / span, kSlowest);
  double unsure_bytes = 0;
  for (const VirtualPod& pod : pods_ | std::views::values) unsure_bytes += pod.UnsureAt(at);
  const Duration spread = SpanOf(unsure_bytes / growth);
  bounds.earliest = std::min(bounds.earliest, at - spread);
  bounds.latest = std::max(bounds.latest, at + spread);
  return bounds;
}

}  // namespace jettison
