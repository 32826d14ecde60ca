#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "agent/edges/edges.h"
#include "agent/evictions/ending_pods.h"
#include "agent/evictions/pace_keeper.h"
#include "agent/evictions/pod_growth_meter.h"
#include "agent/log/event_log.h"
#include "agent/log/log.h"
#include "agent/pods/pod_table.h"
#include "core/decide/early_kill.h"
#include "core/model/signal.h"
#include "core/model/threshold.h"
#include "core/observe/observations.h"
#include "core/units/duration.h"

namespace jettison {

// Kills pods that are ending before the end of their grace period if the node would run out before
// (decide/early_kill).
class EarlyKills {
 public:
  struct Edges {
    PodTable& pods;
    Figures& figures;
    EventLog& events;
    const Log& log;
  };
  explicit EarlyKills(const Edges& edges) : edges_(edges) {}

  // Kills the ending pods that must be killed by these observations, and returns how many. Reads
  // the pods' figures only if the decision needs them. The kills are logged after the last one.
  std::size_t Hasten(const Observations& seen, const PaceKeeper& pace, DiskLayout layout,
                     EndingPods& ending, Instant now);
  // Those since the last call.
  [[nodiscard]] std::vector<EarlyKill> Take() { return std::exchange(kills_, {}); }

 private:
  // The ending pod whose usage grows fastest.
  std::optional<PodGrowthMeter::Growth> Fastest(std::size_t place, const EndingPods& ending,
                                                DiskLayout layout, Instant now);

  static constexpr std::array kHastenedFor = {
      Signal::kMemoryAvailable, Signal::kAllocatableMemoryAvailable, Signal::kPidAvailable};

  Edges edges_;
  std::vector<EarlyKill> kills_;
  // For each of kHastenedFor.
  std::array<PodGrowthMeter, kHastenedFor.size()> growth_{
      PodGrowthMeter(kMemoryJitter), PodGrowthMeter(kMemoryJitter), PodGrowthMeter(kPidJitter)};
  std::vector<PodAmount> amounts_;  // of the last such question
};

}  // namespace jettison
