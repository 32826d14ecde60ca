#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/state/agent_state.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "ports/clock.h"

namespace jettison {

// A state as JSON. Times are how long ago they were ("30s"; before what is to come a minus) when
// the text was written, which its `written` tells.
[[nodiscard]] std::string FormatState(const AgentState& state, const Clock& clock);

struct StateReading {
  AgentState state;
  std::vector<std::string> faults;  // of members that were left out, a sentence each
};

// Parses such a text. Of the time since it was written, thresholds count as met for 30 s at most,
// which a restart may take; a text that is older than 5 min says nothing of them. An image that was
// in use counts as used now, because nobody has looked since. After a reboot of the machine, of the
// pods only absences and their delays are kept, and nothing of the node, because nothing that ran
// before still runs. Fails if the text is not of this form, or of an unknown version.
[[nodiscard]] Result<StateReading> ParseState(std::string_view text, const Clock& clock);

// A restart takes less than this. The text of an agent that was killed is 10 s old at most while a
// threshold is met (StateFile), one that stops writes it as it ends, and the service manager
// waits for 1 s before it starts the next one (packaging/jettison.service.in).
inline constexpr Duration kRestart = std::chrono::seconds(30);

// Until `now`, nobody has seen for a time of `unseen` whether the thresholds were met. They count
// as met for `counted` of it at most. After more than 5 min all of them are forgotten, as the
// kubelet forgets them whenever it restarts.
void PassUnseen(std::vector<SavedThreshold>& thresholds, Duration unseen, Duration counted,
                Instant now);

}  // namespace jettison
