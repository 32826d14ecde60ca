#pragma once

#include <optional>
#include <vector>

#include "core/model/signal.h"
#include "sim/whatif/virtual_node.h"
#include "sim/whatif/whatif_node.h"

namespace jettison {

// When evicted pods come back, by the rules of the agent: a back-off that doubles, admission, one
// pod at a time, the highest priority first.
class Comebacks {
 public:
  // How long a pod that is evicted now stays away.
  [[nodiscard]] Duration Backoff(const WhatIfModel& model, PodSlot slot, Instant now);
  // The pod was let in.
  void Back(PodSlot slot, Instant at);
  // The pod that comes back now; null: none.
  [[nodiscard]] static VirtualPod* Next(const WhatIfNode& node, VirtualPods& pods,
                                        NodeConditions conditions, Instant now);

 private:
  struct Known {
    PodSlot slot = 0;
    Duration next{0};
    Instant back;
  };
  std::vector<Known> known_;
};

}  // namespace jettison
