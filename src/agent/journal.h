#pragma once

#include <string>
#include <string_view>

#include "agent/log.h"

namespace jettison {

// Whether what is written to standard error goes to systemd's journal (JOURNAL_STREAM,
// systemd.exec(5)): then lines are sent to it with their fields, each of which can be searched for.
[[nodiscard]] bool StandardErrorIsJournal();

// Sends lines to the journal: MESSAGE as in a log of text, PRIORITY, and each field as
// JETTISON_<NAME>, "gracePeriod" as JETTISON_GRACE_PERIOD.
[[nodiscard]] Log::FieldSink JournalSink();

// The name that the journal has for a field of the log.
[[nodiscard]] std::string JournalNameOf(std::string_view key);

}  // namespace jettison
