#pragma once

#include <string>
#include <vector>

#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison {

struct HookCall {
  const std::vector<std::string>& command;
  Duration timeout;
  int stop;  // a descriptor; readable when the program is to be killed
};

// Runs a program with `input` as its standard input, and waits for its end. Its output is written
// to the agent's standard error. After `timeout`, or when `stop` is readable, its process group is
// killed. The program alone is killed if the agent ends first, even by SIGKILL. Processes that the
// program leaves when it ends by itself keep running. It has default signal handling and an
// oom_score_adj of 0, not those of the agent.
// Errors: it cannot be started, ends with another status than 0 or by a signal, kDeadlineExceeded.
[[nodiscard]] Result<void> RunHookProgram(const HookCall& call, const std::string& input);

}  // namespace jettison
