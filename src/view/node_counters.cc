#include "view/node_counters.h"

#include <numeric>
#include <optional>

namespace jettison {
namespace {

// Absent: the reason of the eviction is not counted, which no pass makes.
std::optional<std::size_t> EvictionSignalOf(const CycleReport& report,
                                            const EvictionRecord& eviction) {
  if (eviction.storage_limit) {
    return kSignalCount + static_cast<std::size_t>(*eviction.storage_limit);
  }
  if (report.ranked_for) return IndexOf(*report.ranked_for);
  return std::nullopt;
}

void CountEviction(const CycleReport& report, const EvictionRecord& eviction, Instant told,
                   PassCounters& counters) {
  if (eviction.kill_error) ++counters.eviction_errors;
  if (eviction.storage_limit || !report.ranked_for) return;
  const auto& seen = report.observations[*report.ranked_for];
  if (!seen || !seen->time) return;
  counters.stats_age[IndexOf(*report.ranked_for)].Observe(Elapsed(*seen->time, told));
}

}  // namespace

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

std::string_view NameOf(PassKind kind) {
  return kind == PassKind::kFull ? "full" : "watch";
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
    any_evicted = any_evicted || !dry_run;
    if (const auto signal = EvictionSignalOf(report, eviction)) {
      ++(dry_run ? counters.dry_run_victims : counters.evictions)[*signal];
    }
    if (!dry_run) CountEviction(report, eviction, times.decided, counters);
  }
  if (!any_evicted) return;
  counters.detection_latency.Observe(Elapsed(times.woken, times.decided));
}

}  // namespace jettison
