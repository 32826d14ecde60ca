#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/kept/kept_state.h"
#include "core/model/signal.h"
#include "core/model/threshold.h"
#include "core/units/duration.h"

namespace jettison {

// How long the loop waits for evicted pods to be gone before it decides again. (kubelet:
// podCleanupTimeout)
inline constexpr Duration kCleanupTimeout = std::chrono::seconds(30);

// After an eviction nothing more is decided until the pods are gone and their resources are back,
// or the time is over: the figures in between still hold what is being freed. Only a hard threshold
// may act meanwhile; on the resource that was acted for already the pace of evictions puts it off
// (decide/eviction_pace).
class EvictionWait {
 public:
  // An eviction was carried out: `pods` were told to end for `resource`; `hard` with the grace
  // period of a hard eviction.
  void Begin(const std::vector<std::string>& pods, Resource resource, bool hard, Instant now);

  enum class Outcome : bool { kCleanedUp, kTimedOut };
  // Looks who is still there; says once how the wait ended.
  [[nodiscard]] std::optional<Outcome> Check(
      const std::function<bool(std::string_view uid)>& is_on_node, Instant now);

  // The wait for the next agent; absent where there is none.
  [[nodiscard]] std::optional<KeptWait> Kept() const;
  // Goes on with one of an agent before.
  void Resume(const KeptWait& kept, Instant now);

  // The machine was suspended, and with it what is waited for.
  void PutOff(Duration slept) { deadline_ += slept; }

  [[nodiscard]] bool active() const { return !pods_.empty(); }
  // Whether one of them was told to end within the grace period of a hard eviction.
  [[nodiscard]] bool hard() const { return active() && !hard_for_.empty(); }
  // Whether a pass may act for this threshold now: every hard one may. But whoever goes for memory
  // gives swap back, too, so that waits; memory does not wait for swap.
  [[nodiscard]] bool Allows(const Threshold& threshold) const;
  [[nodiscard]] std::optional<Instant> NextDeadline() const {
    return active() ? std::optional(deadline_) : std::nullopt;
  }
  // UIDs that are awaited.
  [[nodiscard]] const std::vector<std::string>& pods() const { return pods_; }

 private:
  std::vector<std::string> pods_;
  std::vector<Resource> hard_for_;  // resources that hard evictions are under way for
  Instant deadline_;
};

}  // namespace jettison
