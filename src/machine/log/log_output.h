#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/model/log_level.h"
#include "machine/log/log.h"
#include "machine/log/log_writer.h"
#include "ports/clock.h"

namespace jettison {

// Whether standard error is connected to systemd's journal (JOURNAL_STREAM, systemd.exec(5)). If
// so, lines are sent to the journal with their fields, so that each field can be searched for.
[[nodiscard]] bool StandardErrorIsJournal();

// A line as the journal takes it: MESSAGE as in a log of text, PRIORITY, and each field as
// JETTISON_<NAME>, "gracePeriod" as JETTISON_GRACE_PERIOD.
[[nodiscard]] LogLine JournalEntries(LogLevel level, std::string_view message,
                                     std::span<const LogField> fields);

// Sends a line there, which may wait for it; false: it did not take it.
[[nodiscard]] bool SendToJournal(const LogLine& entries);

// The name that the journal has for a field of the log.
[[nodiscard]] std::string JournalNameOf(std::string_view key);

struct LogOutput {
  LogFormat format = LogFormat::kText;
  LogLevel least = LogLevel::kInfo;  // lines below it are left out
  bool dry_run = false;
  Log::Sink sink;  // takes each line; empty: standard error or the journal
};

// The agent's log. To standard error and the journal a thread takes the lines. `clock` must outlive
// the process' threads.
[[nodiscard]] std::unique_ptr<Log> OpenLog(const LogOutput& output, const Clock& clock);

}  // namespace jettison
