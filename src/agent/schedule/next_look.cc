#include "agent/schedule/next_look.h"

#include <algorithm>
#include <cstdint>

#include "core/decide/eviction_pace.h"
#include "core/evaluate/evaluate.h"

namespace jettison {
namespace {

// Units a second by which the signal has shrunk from one look to the next; negative: it grew.
double GrowthBetween(const NodeLook& before, const NodeLook& last, Signal signal) {
  const auto& was = before.seen[signal];
  if (!was || last.at <= before.at) return 0;
  return static_cast<double>(was->available - last.seen[signal]->available) /
         SecondsOf(last.at - before.at);
}

// Absent: nobody can tell, or it does not run short within moments.
std::optional<double> GrowthAtOnce(Signal signal) {
  if (!IsForeseen(signal)) return std::nullopt;
  return UnitNameOf(signal) == "bytes" ? kBytesAtOnce : kTasksAtOnce;
}

}  // namespace

Duration NextLook(std::span<const Threshold> thresholds, const NodeLook& before,
                  const NodeLook& last) {
  double seconds = SecondsOf(kFarthestLook);
  for (const Threshold& threshold : thresholds) {
    const auto& seen = last.seen[threshold.signal];
    const auto at_once = GrowthAtOnce(threshold.signal);
    if (!seen || !at_once) continue;
    const std::int64_t left = seen->available - QuantityOf(threshold.value, seen->capacity).Value();
    if (left < 0) continue;
    const double growth = std::max(*at_once, GrowthBetween(before, last, threshold.signal));
    seconds = std::min(seconds, static_cast<double>(left) / growth);
  }
  return std::max(std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds)),
                  kNearestLook);
}

Duration NextPaceLook(Instant since, Instant now) {
  return std::clamp(Elapsed(since, now) / 20, kShortestPaceLook, kLongestPaceLook);
}

}  // namespace jettison
