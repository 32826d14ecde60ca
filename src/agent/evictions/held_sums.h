#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "agent/evictions/ending_pods.h"
#include "agent/evictions/pace_keeper.h"
#include "core/model/signal.h"
#include "core/model/threshold.h"
#include "core/pods/pod_facts.h"

namespace jettison {

// Computes the usage of pods for a signal, and its change since the last call.
class HeldSums {
 public:
  // `pods` are all active pods; only those that may be evicted are counted. The result is valid
  // until the next call.
  [[nodiscard]] HeldAmounts Of(Signal signal, DiskLayout layout, std::span<const ActivePod> pods,
                               const EndingPods& ending);

  // What the pod held at the last call; 0 if it was not among those that may be evicted.
  [[nodiscard]] std::int64_t AmountOf(const PodFacts& pod) const;

 private:
  // Holders that a sum is over, in the order of the reading.
  struct Holders {
    std::vector<PodAmount> pods;
    std::vector<PodAmount> ending;
    void Clear();
  };

  // From `last_` to `now_`; absent: other pods have come.
  [[nodiscard]] std::optional<HolderChange> Change();

  Holders last_;
  Holders now_;
  std::vector<PodAmount> left_;  // were among the pods at the last sum, and are no longer
};

}  // namespace jettison
