#include "agent/looks/memory_looks.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/evaluate/evaluate.h"
#include "core/model/pressure.h"

namespace jettison {
namespace {

// Bytes a second by which the signal has shrunk from one look to the next; negative: it grew.
double GrowthBetween(const Look& before, const Look& last, Signal signal) {
  const auto& was = before.seen[signal];
  if (!was || last.at <= before.at) return 0;
  return static_cast<double>(was->available - last.seen[signal]->available) /
         SecondsOf(last.at - before.at);
}

}  // namespace

bool IsLookedAt(Signal signal) {
  const Resource resource = ResourceOf(signal);
  return resource == Resource::kMemory || resource == Resource::kSwap || resource == Resource::kIo;
}

std::optional<Duration> NextLook(std::span<const Threshold> thresholds, const Look& before,
                                 const Look& last) {
  std::optional<double> seconds;
  for (const Threshold& threshold : thresholds) {
    if (!IsLookedAt(threshold.signal)) continue;
    seconds = std::min(seconds.value_or(SecondsOf(kFarthestLook)), SecondsOf(kFarthestLook));
    const auto& seen = last.seen[threshold.signal];
    if (IsPressure(threshold.signal) || !seen) continue;
    const std::int64_t left = seen->available - QuantityOf(threshold.value, seen->capacity).Value();
    if (left < 0) continue;
    const double growth = std::max(kGrowthAtOnce, GrowthBetween(before, last, threshold.signal));
    seconds = std::min(*seconds, static_cast<double>(left) / growth);
  }
  if (!seconds) return std::nullopt;
  return std::max(std::chrono::duration_cast<Duration>(std::chrono::duration<double>(*seconds)),
                  kNearestLook);
}

bool MemoryLooks::Stalled(Instant now) {
  put_off_ = now < next_after_report_;
  if (put_off_) {
    due_ = std::min(due_.value_or(next_after_report_), next_after_report_);
  } else {
    next_after_report_ = now + kStallLookSpacing;
  }
  return !put_off_;
}

void MemoryLooks::Plan(std::span<const Threshold> thresholds, const Observations& seen,
                       Instant now) {
  if (std::exchange(put_off_, false)) next_after_report_ = now + kStallLookSpacing;
  const Look before = std::exchange(last_, {.seen = seen, .at = now});
  const auto wait = ahead_ ? NextLook(thresholds, before, last_) : std::nullopt;
  due_ = wait ? std::optional(now + *wait) : std::nullopt;
}

}  // namespace jettison
