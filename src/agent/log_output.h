#pragma once

#include <memory>

#include "agent/agent.h"
#include "agent/log.h"
#include "ports/clock.h"

namespace jettison {

struct AgentConfig;

// The agent's log as its options and configuration ask for: to their sink, or to standard error or
// the journal, where a thread takes the lines there. `clock` must outlive the process' threads.
[[nodiscard]] std::unique_ptr<Log> OpenLog(const AgentConfig& config, const AgentOptions& options,
                                           const Clock& clock);

}  // namespace jettison
