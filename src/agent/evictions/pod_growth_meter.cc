#include "agent/evictions/pod_growth_meter.h"

#include <algorithm>
#include <utility>

#include "agent/evictions/growth_meter.h"

namespace jettison {
namespace {

// A snapshot is taken at this interval, and one older than kOldest says nothing about the present.
constexpr Duration kSnapshotLasts = std::chrono::milliseconds(25);
constexpr Duration kOldest = std::chrono::milliseconds(100);

}  // namespace

const PodGrowthMeter::Snapshot* PodGrowthMeter::Before(Duration apart, Instant now) const {
  for (const Snapshot* snapshot : {&older_, &newer_}) {
    const Duration age = Elapsed(snapshot->at, now);
    if (!snapshot->pods.empty() && age >= apart && age <= kOldest) return snapshot;
  }
  return nullptr;
}

void PodGrowthMeter::Keep(std::span<const PodAmount> pods, Instant now) {
  if (!newer_.pods.empty() && Elapsed(newer_.at, now) < kSnapshotLasts) return;
  std::swap(older_, newer_);
  newer_.pods.assign(pods.begin(), pods.end());
  newer_.at = now;
}

std::optional<PodGrowthMeter::Growth> PodGrowthMeter::Seen(std::span<const PodAmount> pods,
                                                           Duration apart, Instant now) {
  Growth fastest;
  const Snapshot* before = Before(apart, now);
  compared_ = before != nullptr;
  if (compared_) {
    const Duration time = Elapsed(before->at, now);
    auto place = before->pods.begin();
    for (const PodAmount& pod : pods) {
      const auto found = std::find_if(place, before->pods.end(), [&](const PodAmount& known) {
        return known.identity == pod.identity;
      });
      if (found == before->pods.end()) continue;
      place = found + 1;
      const std::int64_t pace = PaceOf(Int128{pod.amount} - found->amount - jitter_, time);
      if (pace > fastest.per_second) fastest = {.facts = pod.facts, .per_second = pace};
    }
  }
  Keep(pods, now);
  if (fastest.facts == nullptr) return std::nullopt;
  return fastest;
}

}  // namespace jettison
