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

// Gives up the grace period of pods that are ending where what is left of the node would not last
// for it (decide/early_kill).
class EarlyKills {
 public:
  struct Edges {
    PodTable& pods;
    Figures& figures;
    EventLog& events;
    const Log& log;
  };
  explicit EarlyKills(const Edges& edges) : edges_(edges) {}

  // What has just been observed, and how fast it shrinks. Reads what the pods hold where that
  // decides. All words about a kill come after the last one. How many were killed.
  std::size_t Hasten(const Observations& seen, const PaceKeeper& pace, DiskLayout layout,
                     EndingPods& ending, Instant now);
  // Those since the last call.
  [[nodiscard]] std::vector<EarlyKill> Take() { return std::exchange(kills_, {}); }

 private:
  // Of the pods that are ending, the one whose part grows fastest.
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
