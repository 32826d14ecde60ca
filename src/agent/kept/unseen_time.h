#pragma once

#include <vector>

#include "agent/kept/kept_state.h"
#include "core/units/duration.h"

namespace jettison {

// A restart takes less than this. The text of an agent that was killed is 10 s old at most while a
// threshold is met (StateKeeper), one that stops writes it as it ends, and the service manager
// waits for 1 s before it starts the next one (packaging/jettison.service.in).
inline constexpr Duration kRestart = std::chrono::seconds(30);

// Until `now`, nobody has seen for a time of `unseen` whether the thresholds were met. They count
// as met for `counted` of it at most. After more than 5 min all of them are forgotten, as the
// kubelet forgets them whenever it restarts.
void PassUnseen(std::vector<KeptThreshold>& thresholds, Duration unseen, Duration counted,
                Instant now);

}  // namespace jettison
