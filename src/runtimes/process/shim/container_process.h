#pragma once

#include <sys/types.h>

#include "runtimes/process/shim/order.h"

namespace jettison::shim {

// What the process is given, and what it tells before it becomes the program.
struct ProcessEnds {
  int gate = -1;    // one byte lets it go, end of file ends it
  int report = -1;  // close-on-exec: a Report when something is to be told, end of file on success
  int out = -1;     // becomes stdout
  int err = -1;     // becomes stderr
};

// Told over the report pipe.
struct Report {
  bool fatal = false;     // the process ends
  int oom_adj_error = 0;  // errno of a refused oom_score_adj; not fatal
  Failure failure;        // `detail` points into memory that parent and child have in common
};

// Becomes the container's program: waits at the gate, sets oom_score_adj, mounts, changes the
// folder, executes. Never returns; a failure is reported and the process exits with 127.
[[noreturn]] void BecomeProgram(const Order& order, const ProcessEnds& ends, pid_t shim);

}  // namespace jettison::shim
