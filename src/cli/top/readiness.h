#pragma once

#include <string>
#include <string_view>

#include "cli/ask/ask_agent.h"

namespace jettison {

// The checks that fail in an answer of /readyz?verbose, each with its reason: "cluster: forbidden;
// pass: none yet". Empty where none fails.
[[nodiscard]] std::string FailedChecks(std::string_view answer);

// `jettison status --ready`: whether the agent is ready, as a probe of Kubernetes asks. Says it, or
// on standard error which checks fail. Exit status 0 it is ready, 1 it is not or does not answer.
[[nodiscard]] int RunReadiness(const AskOptions& options);

}  // namespace jettison
