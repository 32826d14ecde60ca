#pragma once

#include <vector>

#include "agent/edges/edges.h"
#include "core/pods/pod_facts.h"

namespace jettison {

// Pods whose files are open already. The first reading of a pod opens them, which takes ten times
// as long as reading them: that is done when a pod has come, not when memory runs out.
class WarmPods {
 public:
  // These are the pods now; reads those that are new.
  void Keep(const std::vector<const PodFacts*>& pods, Figures& figures);

 private:
  std::vector<const PodFacts*> pods_;
};

}  // namespace jettison
