#include "cli/demo/demo.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>

#include "agent/agent.h"
#include "cli/ask/config_files.h"
#include "cli/demo/demo_checklist.h"
#include "cli/demo/demo_interruption.h"
#include "cli/demo/demo_show.h"
#include "cli/demo/stage/demo_node.h"
#include "cli/terminal/exit_status.h"
#include "cli/terminal/output.h"
#include "cli/terminal/terminal.h"
#include "kernel/procfs/procfs.h"

namespace jettison {
namespace {

constexpr int kSignalBase = 128;
constexpr unsigned kLimitSeconds = 57;  // a little after the script's own deadline
constexpr std::int64_t kFewestFreePids = 4 * kDemoNodePidsLimit;

struct DemoOptions {
  bool plain = false;
  bool json = false;
  RuntimeKind runtime = RuntimeKind::kProcess;
  int patience = 1;
};

int Complain(std::string_view what) {
  PrintError("jettison demo: {}\n", what);
  return kExitFailed;
}

Result<void> WriteText(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) return Fail(ErrorCode::kInternal, "cannot write " + path);
  return {};
}

// So far below what is free now that only the forking pod gets there.
Result<std::int64_t> PidThreshold() {
  const auto procfs = Procfs::Open();
  if (!procfs) return Fail(procfs.error());
  const auto pids = procfs->ReadRlimit();
  if (!pids) return Fail(pids.error());
  const std::int64_t available = pids->max_pid.value_or(0) - pids->running.value_or(0);
  if (available < kFewestFreePids) {
    return Fail(
        ErrorCode::kUnavailable,
        fmt::format(
            "only {} process ids are free on this host, but the demo needs {} to reach its limits",
            available, kFewestFreePids));
  }
  return available - kDemoPidHeadroom;
}

// Writes the node's configuration and manifests, and answers the configuration as the agent will
// understand it.
Result<AgentConfig> Furnish(const DemoPaths& paths) {
  const auto pid_threshold = PidThreshold();
  if (!pid_threshold) return Fail(pid_threshold.error());
  const std::string config = DemoConfigText(paths, *pid_threshold);
  if (auto written = WriteText(paths.Config(), config); !written) return Fail(written.error());
  for (const DemoPod& pod : DemoPods()) {
    auto written = WriteText(paths.Manifest(pod.name), DemoManifestText(paths, pod));
    if (!written) return Fail(written.error());
  }
  ConfigReading reading = ReadConfigFiles({.files = {paths.Config()}});
  if (!reading.faults.empty()) {
    return Fail(ErrorCode::kInvalidArgument, Describe(reading.faults.front()));
  }
  reading.config.recording.enabled = false;  // its folder goes with it
  return std::move(reading.config);
}

// Runs the agent until the show is over or a signal comes.
Result<void> Perform(const AgentConfig& config, DemoShow& show, const DemoOptions& demo,
                     DemoInterruption& interruption) {
  AgentOptions options;
  options.stop_pods = true;
  options.handle_signals = false;
  options.log = [&show](std::string_view line) { show.KeepLogLine(line); };
  options.observer = [&show](const Snapshot& snapshot) { show.Observe(snapshot); };
  auto agent = Agent::Make(config, std::move(options));
  if (!agent) return Fail(agent.error());
  show.on_finished = [&agent] { (*agent)->Stop(); };
  interruption.Stops(agent->get(), kLimitSeconds * static_cast<unsigned>(demo.patience));
  auto ran = (*agent)->Run();
  interruption.Stops(nullptr);
  return ran;
}

void PrintLog(const DemoShow& show) {
  if (show.log().empty()) return;
  PrintError(
      "\n"
      "The last log lines of the agent:\n");
  for (const std::string& line : show.log()) PrintError("  {}\n", line);
}

int Judge(const DemoShow& show, const DemoOptions& options) {
  const DemoHistory& history = show.history();
  const auto expectations = CheckDemo(history, show.facts());
  const Duration took = history.first ? history.last - *history.first : Duration::zero();
  if (options.json) {
    fmt::print("{}\n", ChecklistJson(expectations, took));
  } else {
    fmt::print("\n");
    for (const std::string& line :
         Checklist(expectations, took, ColumnsOfStandardOutput(), StyleOfStandardOutput())) {
      fmt::print("{}\n", line);
    }
  }
  if (AllHeld(expectations)) return 0;
  PrintLog(show);
  return kExitFailed;
}

DemoView ViewOf(const DemoOptions& options) {
  if (options.json) return DemoView::kNothing;
  return options.plain ? DemoView::kLines : DemoView::kScreen;
}

void Introduce(const DemoNode& node) {
  const std::size_t columns = SizeOfStandardOutput().columns;
  constexpr std::size_t kManyLines = 9;
  for (const std::string& line :
       Wrap("jettison demo: " + node.Describe(), columns, kManyLines, StyleOfStandardOutput())) {
    fmt::print("{}\n", line);
  }
  fmt::print("\n");
  std::fflush(stdout);
}

// The demo on a node that stands.
int RunOn(const DemoNode& node, const DemoOptions& options, DemoInterruption& interruption) {
  const auto config = Furnish(node.paths());
  if (!config) return Complain(config.error().message);
  auto facts = ReadDemoFacts(node.paths());
  if (!facts) return Complain(facts.error().message);
  if (!options.json) Introduce(node);
  DemoShow show(node.paths(), std::move(*facts), ViewOf(options), options.patience);
  const auto performed = Perform(*config, show, options, interruption);
  show.Close();
  if (!performed) {
    PrintLog(show);
    return Complain(performed.error().message);
  }
  return interruption.Signal() ? 0 : Judge(show, options);
}

// Sets up the node, runs the demo on it and removes it again.
int RunOnNewNode(const DemoOptions& options, DemoInterruption& interruption) {
  auto node = DemoNode::SetUp(options.runtime);
  if (!node) return Complain(node.error().In("cannot set up the node").message);
  const int exit_code = interruption.Signal() ? 0 : RunOn(*node, options, interruption);
  const auto torn_down = node->TearDown();
  return torn_down ? exit_code : Complain(torn_down.error().In("cannot clean up").message);
}

int RunDemo(const DemoOptions& options) {
  if (::geteuid() != 0) {
    return Complain(
        "needs root to create cgroups and to mount a small file system; nothing was changed. Run "
        "the same command as root, with sudo for example");
  }
  DemoInterruption interruption;
  const DemoLeftovers leftovers = RemoveDemoLeftovers();
  for (const std::string& removed : leftovers.removed) {
    PrintError("jettison demo: removed what an earlier demo left behind: {}\n", removed);
  }
  if (!leftovers.running.empty()) {
    return Complain(fmt::format(
        "another demo is running ({}) and uses the same process ids: wait until it has ended",
        leftovers.running.front()));
  }
  const int exit_code = RunOnNewNode(options, interruption);
  if (const auto signal = interruption.Signal()) {
    if (exit_code == 0)
      PrintError(
          "\n"
          "jettison demo: interrupted; its node was removed\n");
    return kSignalBase + *signal;
  }
  return exit_code;
}

}  // namespace

void AddDemo(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<DemoOptions>();
  auto output = std::make_shared<std::string>("text");
  CLI::App* command = app.add_subcommand(
      "demo", "Show a small node under pressure: what is evicted, when and why (needs root)");
  command->add_flag("--plain", options->plain, "print lines even on a terminal");
  command->add_option("-o,--output", *output, "text: live; json: only the result, as one object")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  auto runtime = std::make_shared<std::string>("process");
  command
      ->add_option("--runtime", *runtime,
                   "process: pods are processes of this host; cri: pods run on a containerd that "
                   "the demo starts")
      ->check(CLI::IsMember({"process", "cri"}))
      ->capture_default_str();
  command
      ->add_option("--patience", options->patience,
                   "factor by which the demo may take longer on a slow machine before it fails")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  command->footer(
      "Runs the agent on a node of 512 MiB with eight pods, of which one leaks memory, one fills\n"
      "the disk, one exceeds the limit of its emptyDir and one forks. It takes about half a "
      "minute. "
      "At\n"
      "the end it checks which pods were evicted, why and in which order, and which were not\n"
      "evicted.\n"
      "\n"
      "It makes these changes to this host, and undoes them however it ends:\n"
      "  a cgroup jettison-demo-PID with limits: 512 MiB of memory, 1500 processes\n"
      "  a folder jettison-demo-XXXXXX in $TMPDIR (or /tmp) with a file of 96 MiB, mounted as "
      "ext4\n"
      "  where only the demo and its pods see it\n"
      "  with --runtime cri: a containerd (packages containerd and runc) in a cgroup\n"
      "  jettison-demo-PID-runtime, which keeps everything in that folder\n"
      "\n"
      "Exit status: 0 every expectation held; 1 an expectation failed, or the demo did not run as\n"
      "root; 2 wrong usage; 130 or 143 interrupted.");
  command->callback([options, output, runtime, &exit_code] {
    options->json = *output == "json";
    if (*runtime == "cri") options->runtime = RuntimeKind::kCri;
    exit_code = RunDemo(*options);
  });
}

}  // namespace jettison
