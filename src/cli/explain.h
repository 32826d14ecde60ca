#pragma once

#include <string>

#include "cli/ask/ask_agent.h"

namespace jettison {

struct ExplainCommand {
  AskOptions ask;
  std::string target;  // a pod (namespace/name, name or UID) or an eviction; empty: now, or any
  std::string file;    // - is standard input; empty: the agent is asked
  std::string record;  // name of the record in it; empty: every one
  std::string output = "text";
};

// Explains the passes of the scenarios in a file (NDJSON), or of a recording of an agent: those
// that acted or evicted, or, where none did, the last one of each. Prints what it finds; returns
// the exit status.
[[nodiscard]] int ExplainFile(const ExplainCommand& options);

}  // namespace jettison
