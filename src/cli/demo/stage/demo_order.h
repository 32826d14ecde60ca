#pragma once

#include <vector>

#include "cli/demo/stage/demo_manifests.h"
#include "core/model/signal.h"
#include "view/snapshot.h"

namespace jettison {

// The pods in the order in which they would be evicted under pressure on that signal, as the agent
// ranks them: those that take up resources first, then the critical ones, which never go, then
// those that are not there. A pod without facts counts as not there.
[[nodiscard]] std::vector<const PodView*> InEvictionOrder(const std::vector<PodView>& pods,
                                                          const DemoFacts& facts, Signal signal);

}  // namespace jettison
