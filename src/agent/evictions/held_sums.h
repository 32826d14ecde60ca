#pragma once

#include <span>
#include <vector>

#include "agent/evictions/ending_pods.h"
#include "agent/evictions/pace_keeper.h"
#include "core/model/signal.h"
#include "core/model/threshold.h"
#include "core/pods/pod_facts.h"

namespace jettison {

// Adds up, again and again, what pods hold of what a signal watches.
class HeldSums {
 public:
  struct Sum {
    HeldAmounts held;
    bool same = false;  // it is of the same pods as the last one
  };
  // `pods` are those of the node, of which only those count that may go.
  [[nodiscard]] Sum Of(Signal signal, DiskLayout layout, std::span<const ActivePod> pods,
                       const EndingPods& ending);

 private:
  std::vector<const PodFacts*> holders_;  // of the last sum, in order
};

}  // namespace jettison
