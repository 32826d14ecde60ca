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
// killed. It runs on if the agent is killed, and so do processes that it leaves when it ends by
// itself. It has default signal handling and an oom_score_adj of 0, not those of the agent.
// Errors: it cannot be started, ends with another status than 0 or by a signal, kDeadlineExceeded.
[[nodiscard]] Result<void> RunHookProgram(const HookCall& call, const std::string& input);

}  // namespace jettison
