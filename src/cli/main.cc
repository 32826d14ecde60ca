#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/terminal/exit_status.h"

namespace {

constexpr const char* kAbout =
    "Jettison keeps a Linux container host alive when memory, disk, inodes or process ids run "
    "out:\n"
    "it watches these resources, reclaims what is unused, and evicts the pod that ranks first.";

}  // namespace

// An exception that nobody catches ends the program, as it should.
int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape)
  CLI::App app(kAbout, "jettison");
  app.set_version_flag("--version", "jettison " JETTISON_VERSION);
  int exit_code = 0;
  jettison::AddCommands(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : jettison::kExitInvalidInput;
  }
  return exit_code;
}
