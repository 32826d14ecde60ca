#include <cstdio>
#include <cstdlib>

#include "cli/command_line/program.h"
#include "cli/terminal/output.h"

namespace {

// Before the constructors of static objects: that of gRPC opens an event, which would take the
// number of standard input where that is closed. 101 is the first priority that a program may use.
[[gnu::constructor(101)]] void HoldStandardStreamsFirst() {
  jettison::HoldStandardStreams();
}

}  // namespace

int main(int argc, char** argv) {
  const int status = jettison::RunProgram(JETTISON_VERSION, argc, argv);
  // A thread that hangs on a disk or in the resolver is left alone. It may use static objects, so
  // these are not destroyed.
  std::fflush(nullptr);
  std::_Exit(status);
}
