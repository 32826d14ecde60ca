#pragma once

#include <string>
#include <vector>

#include "agent/tell/kill_at_exit.h"
#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison {

struct HookCall {
  const std::vector<std::string>& command;
  Duration timeout;
  int stop;  // a descriptor; readable when the program is to be killed
  const KillAtExit& kill_at_exit;
};

// Runs a program to its end with `input` as its standard input; what it prints goes to the agent's
// standard error. Waits, for `timeout` at most or until `stop` is readable; it and what it started,
// unless that left its process group, is killed then. The same is killed when the agent ends first,
// even by SIGKILL. What it leaves behind when it ends by itself runs on. It runs as any ordinary
// process: with default signals and an oom_score_adj of 0, without the agent's.
// Errors: it cannot be started, ends with another status than 0 or by a signal, kDeadlineExceeded.
[[nodiscard]] Result<void> RunHookProgram(const HookCall& call, const std::string& input);

}  // namespace jettison
