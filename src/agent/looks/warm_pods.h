#pragma once

#include <vector>

#include "agent/edges/edges.h"
#include "core/pods/pod_facts.h"

namespace jettison {

// Pods whose charge has been read, so that its file is open. Opening it takes ten times as long as
// reading it: that is done when a pod has come, not when memory runs out.
class WarmPods {
 public:
  // These are the pods now; reads the charges of those that are new.
  void Keep(const std::vector<const PodFacts*>& pods, Figures& figures);

 private:
  std::vector<const PodFacts*> pods_;
};

}  // namespace jettison
