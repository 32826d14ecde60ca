#pragma once

#include <array>
#include <optional>

#include "core/model/signal.h"
#include "core/units/duration.h"

namespace jettison {

// Predicts from the last evictions when the kubelet would decide again. The kubelet decides
// nothing, for any signal, until the pod that it has evicted is gone.
class KubeletRound {
 public:
  // A pod was told to end for `resource`; `hard`: with the grace period of a hard eviction,
  // `grace`. A soft eviction does not delay the next decision.
  void Evicted(Resource resource, bool hard, Duration grace, Instant now);
  // The wait for evicted pods is over: all are gone, or it timed out.
  void CleanedUp(bool all_gone, Instant now);

  // When the kubelet would decide again; absent: there was no recent eviction. While pods are
  // ending it is an estimate, which moves on with `now`, because the kubelet would go on polling.
  [[nodiscard]] std::optional<Instant> Next(Instant now) const;
  // As Next, but absent also if the last evictions were for other resources than the signal's. For
  // disks and pressure every eviction counts, because it is not known what the ending pods hold of
  // a disk or add to pressure. If the ending pods hold all of the memory or process IDs that are
  // missing, call Next instead.
  [[nodiscard]] std::optional<Instant> NextFor(Signal signal, Instant now) const;

 private:
  std::optional<Instant> decides_;
  bool awaited_ = false;
  bool awaits_hard_ = false;  // one of those that are awaited
  std::array<bool, kAllResources.size()> evicted_for_{};
};

}  // namespace jettison
