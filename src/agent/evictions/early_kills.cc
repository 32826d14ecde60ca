#include "agent/evictions/early_kills.h"

#include <array>
#include <cstdint>
#include <optional>

#include "agent/evictions/pass_log.h"
#include "core/decide/pod_usage.h"

namespace jettison {
namespace {

// Growth over at least this long counts as growth of a pod.
constexpr Duration kPodGrowthBegins = std::chrono::milliseconds(4);

// How much a pod that is ending holds of the signal's resource; absent: not known.
std::optional<std::int64_t> HeldBy(const ActivePod& pod, Signal signal, DiskLayout layout) {
  if (pod.stats == nullptr) return std::nullopt;
  return UsageOf(pod, signal, layout);
}

}  // namespace

std::optional<PodGrowthMeter::Growth> EarlyKills::Fastest(std::size_t place,
                                                          const EndingPods& ending,
                                                          DiskLayout layout, Instant now) {
  amounts_.clear();
  for (std::size_t i = 0; i < ending.size(); ++i) {
    const ActivePod pod = ending.At(i);
    if (const auto held = HeldBy(pod, kHastenedFor[place], layout)) {
      amounts_.emplace_back(*pod.facts, *held);
    }
  }
  return growth_[place].Seen(amounts_, kPodGrowthBegins, now);
}

std::size_t EarlyKills::Hasten(const Observations& seen, const PaceKeeper& pace, DiskLayout layout,
                               EndingPods& ending, Instant now) {
  const std::size_t told = kills_.size();
  bool is_read = false;  // whether the pods' figures are read
  for (std::size_t place = 0; place < kHastenedFor.size(); ++place) {
    const Signal signal = kHastenedFor[place];
    if (!seen[signal]) continue;
    bool is_measured = false;
    std::optional<PodGrowthMeter::Growth> fastest;
    const std::int64_t left = seen[signal]->available;
    const std::int64_t growth = pace.GrowthOf(signal);
    const std::vector<EndingPod>& pods = edges_.pods.Ending();
    for (const EndingPod& pod : pods) {
      if (!pod.kill_at || now >= *pod.kill_at) continue;
      EndingQuestion question{
          .left = left, .growth = growth, .now = now, .kill_at = *pod.kill_at, .held = {}};
      if (LastsItsGrace(question)) continue;
      if (!std::exchange(is_read, true)) {
        ending.Read(pods, edges_.figures);
        ending.ReadAll(edges_.figures);
      }
      if (!std::exchange(is_measured, true)) fastest = Fastest(place, ending, layout, now);
      question.held = HeldBy(ending.Of(pod.facts), signal, layout);
      if (fastest && fastest->facts == pod.facts) question.growth_of_pod = fastest->per_second;
      if (!MustKillNow(question)) continue;
      if (!edges_.pods.KillNow(pod.facts->pod.uid, now)) continue;
      kills_.push_back({.pod_uid = pod.facts->pod.uid,
                        .signal = signal,
                        .at = now,
                        .after = Elapsed(pod.evicted_at, now),
                        .grace = Elapsed(pod.evicted_at, *pod.kill_at),
                        .left = left,
                        .growth = growth});
    }
  }
  for (std::size_t i = told; i < kills_.size(); ++i) {
    LogEarlyKill(kills_[i], edges_.pods, edges_.events, edges_.log);
  }
  return kills_.size() - told;
}

}  // namespace jettison
