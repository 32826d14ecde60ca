#pragma once

#include <memory>

#include "core/model/log_level.h"
#include "machine/log/log.h"
#include "machine/log/log_format.h"
#include "ports/clock.h"

namespace jettison {

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
