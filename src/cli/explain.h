#pragma once

#include <string>

namespace jettison {

struct ExplainFileOptions {
  std::string path;    // - is standard input
  std::string record;  // name of the record; empty: every one
  std::string pod;     // namespace/name, name or UID: only passes that evicted it; empty: any
  bool json = false;
};

// Explains the passes of the scenarios in a file (NDJSON), or of a recording of an agent: those
// that acted or evicted, or, where none did, the last one of each. Prints what it finds; returns
// the exit status.
[[nodiscard]] int ExplainFile(const ExplainFileOptions& options);

}  // namespace jettison
