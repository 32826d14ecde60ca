#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "agent/evictions/growth_meter.h"
#include "agent/evictions/pod_growth_meter.h"
#include "core/decide/early_kill.h"
#include "core/decide/eviction_pace.h"
#include "core/decide/kubelet_round.h"
#include "core/model/signal.h"
#include "core/observe/observations.h"
#include "core/units/duration.h"

namespace jettison {

// How the set of holders has changed from one look to the next, in amounts held at the first look.
struct HolderChange {
  bool any = false;
  std::int64_t left_pods = 0;     // are no longer among the pods that may be evicted
  std::int64_t began_to_end = 0;  // of those, the ones that are ending now
  std::int64_t gone = 0;          // were ending, and are gone
};

// The amounts that pods hold of a signal's resource at one moment, in its unit.
struct HeldAmounts {
  std::int64_t pods = 0;               // by pods that may be evicted
  std::int64_t ending = 0;             // by pods that are ending
  std::span<const PodAmount> each;     // ... by each pod that may be evicted
  std::optional<HolderChange> change;  // since the last look; absent: pods have come
  std::int64_t line = 0;               // of the threshold that is acted for
};

// Keeps the inputs for the pace of evictions: when the kubelet would decide again after the last
// evictions, and how fast the usage of memory and process IDs grows. Growth cannot be measured for
// two looks after each eviction, nor when nothing is left that could be taken. What was measured
// last then still counts; and where nothing is left, so does what the kernel takes from pods.
class PaceKeeper {
 public:
  PaceKeeper();

  // As KubeletRound does.
  void Evicted(Resource resource, bool hard, Duration grace, Instant now) {
    round_.Evicted(resource, hard, grace, now);
  }
  void CleanedUp(bool all_gone, Instant now) { round_.CleanedUp(all_gone, now); }

  // When the kubelet would decide again, if that matters for the signal (KubeletRound::NextFor). It
  // also matters if ending pods, evicted for any signal, hold all that is missing.
  [[nodiscard]] std::optional<Instant> KubeletDecides(Signal signal, Instant now) const {
    const bool is_covered = signal == signal_ && ending_covers_;
    return is_covered ? round_.Next(now) : round_.NextFor(signal, now);
  }

  // What was just observed of all signals.
  void Seen(const Observations& observations, Instant now);
  // Takes the amounts that were held when `seen` was observed.
  void Held(Signal signal, const Observation& seen, const HeldAmounts& held, Instant now);

  // The kernel's OOM killer has ended a pod that may be evicted, which held `amount` at the last
  // Held. Where nothing is left after it, the others have taken that much.
  void Lost(std::int64_t amount, Instant now);

  // For a pass that would act for the signal now. `next_by_clock` as in PaceInput.
  [[nodiscard]] PaceInput InputFor(Signal signal, std::optional<Instant> next_by_clock,
                                   Instant now) const;
  // The growth of the total usage of the signal's resource, per second; 0 if it is not known.
  [[nodiscard]] std::int64_t GrowthOf(Signal signal) const;

 private:
  struct Growth {
    std::int64_t all = 0;   // of everything except pods that are ending
    std::int64_t pods = 0;  // of the pods that may be evicted
    Instant at;
  };
  // From looks that are so far apart; absent: there are none.
  [[nodiscard]] std::optional<Growth> Lasting(Duration time, Instant now) const;
  // By what was lost to the kernel in the last second; absent: nothing was.
  [[nodiscard]] std::optional<Growth> Losing(Instant now) const;
  // As Present, without what was lost.
  [[nodiscard]] std::optional<Growth> Measured(Instant now) const;
  // As measured now, or as measured last where it cannot be. Where nothing is left to take, what
  // was lost counts, too.
  [[nodiscard]] std::optional<Growth> Present(Instant now) const;
  // Whether nothing was left to take a moment ago.
  [[nodiscard]] bool IsExhausted(Instant now) const;
  // A pod begins to end; `others`: how many pods may be evicted besides.
  void ForgetItsGrowth(std::size_t others);
  void Remember(std::int64_t line, Instant now);

  KubeletRound round_;
  GrowthMeter memory_;  // memory.available
  GrowthMeter allocatable_;
  GrowthMeter pids_;
  // Of the signal that was asked for last.
  Signal signal_ = Signal::kMemoryAvailable;
  std::int64_t ending_ = 0;
  bool ending_covers_ = false;  // they hold what is missing to the line
  std::int64_t left_ = 0;       // of what it watches
  GrowthMeter rest_;            // all but what is ending
  GrowthMeter pods_;
  PodGrowthMeter each_;
  std::optional<PodGrowth> fastest_;
  std::optional<Growth> measured_;       // last
  std::optional<Instant> exhausted_at_;  // last
  struct Loss {
    std::int64_t amount = 0;
    Instant at;
  };
  std::array<Loss, 32> losses_{};  // the last ones
  std::size_t next_loss_ = 0;
};

}  // namespace jettison
