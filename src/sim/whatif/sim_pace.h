#pragma once

#include <optional>

#include "core/decide/eviction_pace.h"
#include "core/model/signal.h"
#include "core/model/threshold.h"
#include "core/units/duration.h"

namespace jettison {

// What a simulated node waits for after its evictions, by the rules of the agent: until the pods
// are gone nothing but a hard threshold may act, and when the next eviction comes is a question of
// pace (core/decide/eviction_pace).
class SimulatedPace {
 public:
  // A pod was told to end for that resource and will be gone then.
  void Evicted(Resource resource, bool hard, Instant now, Instant gone);
  // An eviction waits until then; absent: none does.
  void Pause(std::optional<Instant> until) { paused_until_ = until; }
  // Pods that are gone by now are awaited no more, and a pause that is over has ended.
  void Advance(Instant now);

  [[nodiscard]] bool awaits() const { return gone_.has_value(); }
  [[nodiscard]] bool IsPaused() const { return paused_until_.has_value(); }
  // Whether a pass may act for the threshold now.
  [[nodiscard]] bool Allows(const Threshold& threshold) const;
  // As PaceInput::kubelet_decides.
  [[nodiscard]] std::optional<Instant> KubeletDecides(Signal signal, Instant now) const {
    return round_.NextFor(signal, now);
  }
  // When something of this changes next, after `now`.
  [[nodiscard]] std::optional<Instant> Next(Instant now) const;

 private:
  KubeletRound round_;
  std::optional<Instant> gone_;  // the last of those that are awaited
  bool memory_awaited_ = false;  // for a hard threshold
  std::optional<Instant> paused_until_;
};

}  // namespace jettison
