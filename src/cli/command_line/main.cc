#include "cli/command_line/program.h"
#include "cli/terminal/output.h"

int main(int argc, char** argv) {
  jettison::HoldStandardStreams();
  return jettison::RunProgram(JETTISON_VERSION, argc, argv);
}
