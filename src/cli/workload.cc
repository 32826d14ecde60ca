#include "cli/workload.h"

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>

#include "cli/workload_kinds.h"

namespace jettison {
namespace {

using workload::Conduct;
using workload::Growth;

// Everything that can stand on the command line of any kind.
struct WorkloadOptions {
  Conduct conduct;
  Growth growth;
  std::int64_t start_mib = 0;
  std::string target;  // --path or --dir
};
using Kind = std::function<void(const WorkloadOptions&)>;

// Adds one kind with the options that all of them share.
CLI::App* AddKind(CLI::App& parent, const char* name, const char* description,
                  const std::shared_ptr<WorkloadOptions>& options, Kind kind) {
  CLI::App* command = parent.add_subcommand(name, description);
  Conduct& conduct = options->conduct;
  command->add_flag("--ignore-term", conduct.ignore_term, "do nothing on SIGTERM");
  command->add_option("--delay", conduct.delay_seconds, "seconds to wait first");
  command->add_option("--gate", conduct.gate, "begin once this file exists");
  command->callback([options, kind = std::move(kind)] { kind(*options); });
  return command;
}

CLI::App* AddGrowth(CLI::App* command, Growth& growth, const char* rate, const char* total) {
  command->add_option("--rate", growth.rate, rate)->check(CLI::NonNegativeNumber);
  command->add_option("--total", growth.total, total)->check(CLI::NonNegativeNumber)->required();
  return command;
}

void RunLeak(const WorkloadOptions& options) {
  Conduct conduct = options.conduct;
  conduct.gate.clear();  // it stands between the start and the growth
  workload::Begin(conduct);
  workload::Leak(options.start_mib, options.conduct.gate, options.growth);
  workload::SleepForever();
}

// A kind that has nothing to do before its gate.
Kind Gated(void (*work)(const WorkloadOptions&)) {
  return [work](const WorkloadOptions& options) {
    workload::Begin(options.conduct);
    work(options);
    workload::SleepForever();
  };
}

void AddMemoryKinds(CLI::App& parent) {
  auto hold = std::make_shared<WorkloadOptions>();
  AddKind(parent, "hold", "touch memory once and keep it", hold, Gated([](const auto& options) {
            workload::Leak(options.growth.total, "", options.growth);
          }))
      ->add_option("--total", hold->growth.total, "MiB")
      ->check(CLI::NonNegativeNumber)
      ->required();
  auto leak = std::make_shared<WorkloadOptions>();
  CLI::App* command = AddKind(parent, "leak", "touch more and more memory", leak, RunLeak);
  AddGrowth(command, leak->growth, "MiB a second; 0: at once", "MiB in the end");
  command->add_option("--start", leak->start_mib, "MiB before the gate")
      ->check(CLI::NonNegativeNumber);
}

void AddFileKinds(CLI::App& parent) {
  auto fill = std::make_shared<WorkloadOptions>();
  CLI::App* command =
      AddKind(parent, "fill", "write a file", fill,
              Gated([](const auto& options) { workload::Fill(options.target, options.growth); }));
  AddGrowth(command, fill->growth, "MiB a second; 0: at once", "MiB in the end");
  command->add_option("--path", fill->target, "the file")->required();

  auto inodes = std::make_shared<WorkloadOptions>();
  command = AddKind(parent, "inodes", "create empty files", inodes, Gated([](const auto& options) {
                      workload::TakeInodes(options.target, options.growth);
                    }));
  AddGrowth(command, inodes->growth, "files a second; 0: at once", "files in the end");
  command->add_option("--dir", inodes->target, "where they are made")->required();
}

}  // namespace

void AddWorkload(CLI::App& app, int& /*exit_code*/) {
  CLI::App* parent = app.add_subcommand("workload", "Use up a resource, for demo and tests.");
  parent->group("")->require_subcommand(1);
  auto sleep = std::make_shared<WorkloadOptions>();
  AddKind(*parent, "sleep", "do nothing", sleep, Gated([](const WorkloadOptions&) {}));
  AddMemoryKinds(*parent);
  AddFileKinds(*parent);
  auto fork = std::make_shared<WorkloadOptions>();
  AddGrowth(AddKind(*parent, "fork", "fork children that sleep", fork,
                    Gated([](const auto& options) { workload::Fork(options.growth); })),
            fork->growth, "children a second; 0: at once", "children in the end");
}

}  // namespace jettison
