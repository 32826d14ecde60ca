#include "view/node_counters.h"

#include <numeric>

namespace jettison {
std::uint64_t PodCounters::StartErrors() const {
  std::uint64_t sum = 0;
  for (const auto& of_type : started_containers_errors) {
    sum = std::accumulate(of_type.begin(), of_type.end(), sum);
  }
  return sum;
}

std::string_view EvictionSignalName(std::size_t index) {
  constexpr auto kLimits = std::to_array<std::string_view>(
      {"emptydirfs.limit", "ephemeralpodfs.limit", "ephemeralcontainerfs.limit"});
  return index < kSignalCount ? NameOf(kAllSignals[index]) : kLimits[index - kSignalCount];
}

void CountPass(const CycleReport& report, PassKind kind, const PassTimes& times,
               PassCounters& counters) {
  counters.duration[static_cast<std::size_t>(kind)].Observe(Elapsed(times.began, times.ended));
  for (const ReclaimStep step : report.reclaim_attempted) {
    ++counters.reclaims[static_cast<std::size_t>(step)];
  }
  counters.reclaim_errors += report.reclaim_errors.size();
  bool any_evicted = false;
  for (const EvictionRecord& eviction : report.evictions) {
    const bool dry_run = eviction.outcome == EvictOutcome::kDryRun;
    auto& evictions = dry_run ? counters.dry_run_victims : counters.evictions;
    any_evicted = any_evicted || !dry_run;
    if (!dry_run && eviction.kill_error) ++counters.eviction_errors;
    if (eviction.storage_limit) {
      ++evictions[kSignalCount + static_cast<std::size_t>(*eviction.storage_limit)];
    } else if (report.ranked_for) {
      const std::size_t signal = IndexOf(*report.ranked_for);
      ++evictions[signal];
      const auto& seen = report.observations[*report.ranked_for];
      if (dry_run || !seen || !seen->time) continue;
      counters.stats_age[signal].Observe(Elapsed(*seen->time, times.decided));
    }
  }
  if (any_evicted) counters.detection_latency.Observe(Elapsed(times.woken, times.decided));
}

}  // namespace jettison
