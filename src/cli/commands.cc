#include "cli/commands.h"

#include <CLI/CLI.hpp>

#include "cli/demo/demo.h"
#include "cli/doctor/doctor.h"
#include "cli/import/import.h"
#include "cli/simulate/simulate.h"
#include "cli/top/top.h"

namespace jettison {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  jettison demo                                 show evictions on a small node under "
    "pressure\n"
    "  jettison doctor                               check what this host offers and what is "
    "missing\n"
    "  jettison check-config kubelet.yaml            show the effective policy, or every fault\n"
    "  jettison run --config jettison.yaml           run the agent on this node\n"
    "  jettison status                               show the state of the node\n"
    "  jettison top                                  watch the node live\n"
    "  jettison explain default/web                  say why the pod was evicted, or where it "
    "ranks\n"
    "  jettison record node.jtr                      fetch what the agent has recorded\n"
    "  jettison show node.jtr                        say what is in the recording\n"
    "  jettison import prometheus URL --node a       make recordings from Prometheus data\n"
    "  jettison replay node.jtr                      decide every recorded pass again\n"
    "  jettison simulate node.jtr --policy p.yaml    say what another policy would have done\n"
    "  jettison recommend node.jtr                   propose the policy that would have been best\n"
    "  jettison help simulate                        say what a command does, with its options\n"
    "\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage or invalid input.";

// In the order of the help.
constexpr void (*kCommands[])(CLI::App& app, int& exit_code) = {
    AddRun,    AddStatus, AddTop,         AddExplain,   AddRank,     AddShadow,
    AddDemo,   AddDoctor, AddCheckConfig, AddInspect,   AddRecord,   AddShow,
    AddReplay, AddImport, AddSimulate,    AddRecommend, AddWorkload, AddComplete,
};

// The value of a shell variable that is not set: it would mean what the option's absence means.
void RefuseEmptyValues(CLI::App& app) {
  const auto fault_of = [](const std::string& value) -> std::string {
    return value.empty() ? "must not be empty" : "";
  };
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == "complete") continue;  // it takes words that are still to be typed
    for (CLI::Option* option : command->get_options()) {
      if (option->get_items_expected_max() > 0) option->check(CLI::Validator(fault_of, ""));
    }
  }
}

}  // namespace

void AddCommands(CLI::App& app, int& exit_code) {
  app.footer(kExamples);
  app.require_subcommand(1);
  for (const auto add : kCommands) add(app, exit_code);
  RefuseEmptyValues(app);
}

}  // namespace jettison
