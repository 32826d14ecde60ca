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

// Parses such a text. Thresholds count as met since it was written; a text that is older than 30 s,
// which a restart may take, says nothing of them. An image that was
// in use counts as used now, because nobody has looked since. After a reboot of the machine, of the
// pods only absences and their delays are kept, and nothing of the node, because nothing that ran
// before still runs. Fails if any of the text is not of this form, or it is of an unknown version.
[[nodiscard]] Result<AgentState> ParseState(std::string_view text, const Clock& clock);

}  // namespace jettison
