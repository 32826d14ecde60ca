#include <CLI/CLI.hpp>

#include "cli/check_config.h"
#include "cli/demo.h"
#include "cli/doctor.h"
#include "cli/inspect.h"
#include "cli/replay.h"
#include "cli/run.h"
#include "cli/workload.h"

namespace {

constexpr const char* kAbout =
    "Jettison keeps a Linux container host alive when memory, disk, inodes or process ids run "
    "out:\n"
    "it watches, reclaims what nobody uses, and fails the pod that should go first.";
constexpr const char* kExamples =
    "Examples:\n"
    "  jettison demo                                 a node under pressure, before your eyes\n"
    "  jettison doctor                               what this host offers and what is missing\n"
    "  jettison check-config kubelet.yaml            the effective policy, or every fault\n"
    "  jettison run --config jettison.yaml           guard this node\n"
    "  jettison replay scenarios.ndjson              what would have happened\n"
    "\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage or invalid input.";

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(kAbout, "jettison");
  app.footer(kExamples);
  app.require_subcommand(1);
  app.set_version_flag("--version", "jettison " JETTISON_VERSION);
  int exit_code = 0;
  jettison::AddRun(app, exit_code);
  jettison::AddDemo(app, exit_code);
  jettison::AddDoctor(app, exit_code);
  jettison::AddCheckConfig(app, exit_code);
  jettison::AddInspect(app, exit_code);
  jettison::AddReplay(app, exit_code);
  jettison::AddWorkload(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    constexpr int kUsage = 2;
    return app.exit(error) == 0 ? 0 : kUsage;
  }
  return exit_code;
}
