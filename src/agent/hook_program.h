#pragma once

#include <string>
#include <vector>

#include "units/duration.h"
#include "units/result.h"

namespace jettison {

// Runs a program to its end with `input` as its standard input; what it prints goes to the agent's
// standard error. Waits, for `timeout` at most or until `stop` (a descriptor) becomes readable; it
// and what it started, unless that left its process group, is killed then. It runs as any ordinary
// process: with default signals and an oom_score_adj of 0, without the agent's.
// Errors: it cannot be started, ends with another status than 0 or by a signal, kDeadlineExceeded.
[[nodiscard]] Result<void> RunHookProgram(const std::vector<std::string>& command,
                                          const std::string& input, Duration timeout, int stop);

}  // namespace jettison
