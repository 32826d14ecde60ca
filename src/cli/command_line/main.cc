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
  return jettison::RunProgram(JETTISON_VERSION, argc, argv);
}
