#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "core/model/threshold.h"
#include "core/units/duration.h"
#include "sim/frames/frame.h"

namespace jettison {

// What a simulated node waits for after its evictions, by the rules of the agent: until the pods
// are gone nothing but a hard threshold may act, and when the next eviction for the same resource
// comes is a question of pace (core/decide/eviction_pace).
class SimulatedPace {
 public:
  // A pod was told to end for that resource and will be gone then.
  void Evicted(Resource resource, bool hard, Instant now, Instant gone);
  // Pods that are gone by now are awaited no more.
  void Advance(Instant now);

  [[nodiscard]] bool awaits() const { return gone_.has_value(); }
  // Whether a pass may act for the threshold now.
  [[nodiscard]] bool Allows(const Threshold& threshold) const;
  // As PaceInput::kubelet_decides.
  [[nodiscard]] std::optional<Instant> KubeletDecides(Resource resource, Instant now) const;
  // When something of this changes next, after `now`.
  [[nodiscard]] std::optional<Instant> Next(Instant now) const;

 private:
  static constexpr std::size_t kResourceCount = kAllResources.size();
  struct OfResource {
    std::optional<Instant> decides;
    bool awaited = false;
    bool hard = false;
  };
  std::array<OfResource, kResourceCount> resources_;
  std::optional<Instant> gone_;  // the last of those that are awaited
};

}  // namespace jettison
