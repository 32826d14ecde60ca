#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "agent/kept/kept_state.h"
#include "core/units/result.h"
#include "ports/clock.h"

namespace jettison {

struct KeptStateText {
  std::string text;
  std::size_t left_out = 0;  // pods for which there was no room
};

// A state as JSON of at most `max_bytes`: the node, then pods that are ending or out, then others,
// as many as fit. Times are how long ago they were ("30s"; before what is to come a minus) when the
// text was written, which its `written` tells.
[[nodiscard]] KeptStateText FormatKeptState(const KeptState& state, const Clock& clock,
                                            std::size_t max_bytes);

struct KeptStateReading {
  KeptState state;
  std::vector<std::string> faults;  // of members that were left out, a sentence each
};

// Parses such a text. Of the time since it was written, thresholds count as met for 30 s at most,
// which a restart may take; a text that is older than 5 min says nothing of them. After a reboot of
// the machine, only absences of pods and their delays are kept, because nothing that ran before
// still runs. Fails if the text is not of this form, or of an unknown version.
[[nodiscard]] Result<KeptStateReading> ParseKeptState(std::string_view text, const Clock& clock);

}  // namespace jettison
