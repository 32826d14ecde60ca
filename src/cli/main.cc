#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "cli/commands.h"

namespace {

// Takes the places of standard streams that are closed, so that no file which is opened later takes
// what is meant for them. They still fail. Before the constructors of static objects: that of gRPC
// opens an event. 101 is the first priority that a program may use.
[[gnu::constructor(101)]] void HoldStandardStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0) continue;
    // The lowest number that is free, which is this one; it can do what the stream is not for.
    (void)::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int status = jettison::RunProgram(JETTISON_VERSION, argc, argv);
  // A thread that hangs on a disk or in the resolver is left alone. It may use static objects, so
  // these are not destroyed.
  std::fflush(nullptr);
  std::_Exit(status);
}
