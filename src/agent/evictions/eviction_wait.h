#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/state/agent_state.h"
#include "core/model/signal.h"
#include "core/model/threshold.h"
#include "core/units/duration.h"

namespace jettison {

// How long the agent waits until evicted pods are gone before it decides again. (kubelet:
// podCleanupTimeout)
inline constexpr Duration kCleanupTimeout = std::chrono::seconds(30);

// The wait for evicted pods. After an eviction, no other one is decided until the pods are gone or
// the wait times out, because the figures still include what is being freed. Only hard thresholds
// may act meanwhile; for the same resource, their evictions are delayed by decide/eviction_pace.
class EvictionWait {
 public:
  // An eviction was carried out: `pods` were told to end for `resource`; `hard` with the grace
  // period of a hard eviction.
  void Begin(const std::vector<std::string>& pods, Resource resource, bool hard, Instant now);

  enum class Outcome : bool { kCleanedUp, kTimedOut };
  // Checks which pods are still there. Returns once how the wait has ended.
  [[nodiscard]] std::optional<Outcome> Check(
      const std::function<bool(std::string_view uid)>& is_on_node, Instant now);

  // The wait for the next agent; absent where there is none.
  [[nodiscard]] std::optional<SavedWait> Saved() const {
    return active() ? std::optional(wait_) : std::nullopt;
  }
  // Goes on with one of an agent before.
  void Resume(const SavedWait& kept, Instant now);

  // The machine was suspended, and with it what is waited for.
  void PutOff(Duration slept) { wait_.deadline += slept; }

  [[nodiscard]] bool active() const { return !wait_.pods.empty(); }
  // Whether one of them was told to end within the grace period of a hard eviction.
  [[nodiscard]] bool hard() const { return active() && !wait_.hard_for.empty(); }
  // Whether a pass may act for this threshold now. Hard thresholds may, except on swap while a pod
  // is ending for memory, because its end frees swap, too.
  [[nodiscard]] bool Allows(const Threshold& threshold) const;
  [[nodiscard]] std::optional<Instant> NextDeadline() const {
    return active() ? std::optional(wait_.deadline) : std::nullopt;
  }

 private:
  SavedWait wait_;
};

}  // namespace jettison
