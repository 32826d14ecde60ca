#include "cli/demo/demo.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <deque>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "agent/agent.h"
#include "api/overview/overview.h"
#include "cli/ask/config_files.h"
#include "cli/terminal/output.h"
#include "cli/top/top.h"
#include "core/json/json_writer.h"
#include "kernel/files/files.h"
#include "kernel/procfs/procfs.h"

namespace jettison {
namespace {

constexpr int kSignalBase = 128;
constexpr unsigned kLimitSeconds = 57;  // a little after the story's own deadline
constexpr std::int64_t kFewestFreePids = 4 * kDemoNodePidsLimit;
constexpr Duration kShortestFrame = std::chrono::milliseconds(50);
constexpr Duration kLinesEvery = std::chrono::seconds(2);
constexpr std::size_t kLogLines = 30;

struct DemoOptions {
  bool plain = false;
  bool json = false;
  int patience = 1;
};

int Complain(std::string_view what) {
  PrintError("jettison demo: {}\n", what);
  return kExitFailed;
}

// A signal handler can reach nothing else. Both are lock-free, and Agent::Stop may be called from a
// handler.
std::atomic<int> first_signal = 0;
std::atomic<Agent*> running_agent = nullptr;

void StopAgent(int signal) {
  int none = 0;
  if (signal != SIGALRM) first_signal.compare_exchange_strong(none, signal);
  if (Agent* agent = running_agent.load()) agent->Stop();
}

// From here on these signals stop the agent and do not end the program. One that was ignored before
// stays ignored (nohup).
void CatchSignals() {
  // A handler and not SIG_IGN: programs started from here would inherit that.
  struct sigaction action {};
  action.sa_handler = StopAgent;
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGALRM}) {
    struct sigaction former {};
    ::sigaction(signal, nullptr, &former);
    if (former.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
  }
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
  if (auto written = kernel::WriteFile(paths.Config(), config); !written)
    return Fail(written.error());
  for (const DemoPod& pod : DemoPods()) {
    auto written = kernel::WriteFile(fmt::format("{}/{}.yaml", paths.Manifests(), pod.name),
                                     DemoManifestText(paths, pod));
    if (!written) return Fail(written.error());
  }
  ConfigReading reading = ReadConfigFiles({.files = {paths.Config()}});
  if (!reading.faults.empty()) {
    return Fail(ErrorCode::kInvalidArgument, Describe(reading.faults.front()));
  }
  reading.config.recording.enabled = false;  // its folder goes with it
  return std::move(reading.config);
}

// Leads the demo from one snapshot to the next: opens and closes gates, and shows the node as
// `jettison top` does.
class DemoShow {
 public:
  DemoShow(const DemoPaths& paths, const DemoOptions& options)
      : paths_(paths),
        options_(options),
        story_(options.patience),
        is_screen_(!options.plain && !options.json && IsScreen()) {}

  // Whether the demo is over.
  bool Observe(const Snapshot& snapshot) {
    story_.GoOn(snapshot);
    SetGate(story_.OpenGate());
    if (!options_.json) Show(snapshot);
    return story_.finished();
  }

  // The last lines of the agent's log, for the case that something went wrong.
  void KeepLogLine(std::string_view line) {
    log_.emplace_back(line);
    if (log_.size() > kLogLines) log_.pop_front();
  }
  void PrintLog() const {
    if (!log_.empty()) PrintError("\nThe last log lines of the agent:\n");
    for (const std::string& line : log_) PrintError("  {}\n", line);
  }

  [[nodiscard]] const DemoStory& story() const { return story_; }

 private:
  void SetGate(std::string_view pod) {
    if (pod == open_gate_) return;
    if (!open_gate_.empty()) ::unlink(paths_.Gate(open_gate_).c_str());
    if (!pod.empty()) (void)kernel::WriteFile(paths_.Gate(pod), "");
    open_gate_ = pod;
  }

  void Show(const Snapshot& snapshot) {
    const bool new_act = shown_act_ != story_.act();
    const Duration pace = is_screen_ ? kShortestFrame : kLinesEvery;
    const bool soon = shown_at_ && snapshot.at - *shown_at_ < pace;
    if (soon && !new_act && !story_.finished()) return;
    shown_at_ = snapshot.at;
    shown_act_ = story_.act();
    const Overview overview =
        OverviewOf(snapshot, {.version = JETTISON_VERSION, .ranked_for = story_.RankedFor()});
    if (is_screen_) {
      TextLine title("jettison demo", Ink::kStrong);
      title.Add("  ").Add(story_.Title());
      return DrawScreen(ComposeTop({title, TextLine(story_.Lesson(), Ink::kFaint)}, overview,
                                   SizeOfStandardOutput(), StyleOfStandardOutput()));
    }
    for (const std::string& line : lines_.News(overview)) fmt::print("{}\n", line);
    if (new_act) fmt::print("{}\n", story_.Title());
    std::fflush(stdout);
  }

  const DemoPaths& paths_;
  const DemoOptions& options_;
  DemoStory story_;
  bool is_screen_;
  TopLines lines_;
  std::optional<Instant> shown_at_;
  std::optional<std::size_t> shown_act_;
  std::string open_gate_;
  std::deque<std::string> log_;
};

// A line for each with a mark, and what is behind it below.
std::string ChecklistText(const std::vector<Expectation>& expectations, double seconds) {
  constexpr std::size_t kIndent = 6;
  constexpr std::size_t kMostLines = 2;
  const TextStyle style = StyleOfStandardOutput();
  const std::size_t columns = ColumnsOfStandardOutput();
  std::string text;
  for (const Expectation& each : expectations) {
    const std::string_view mark = each.held ? (style.unicode ? "✓" : "ok") : "NO";
    TextLine line;
    line.To(1).Add(mark, each.held ? Ink::kGood : Ink::kBadStrong).To(kIndent - 1);
    line.Add(each.what, each.held ? Ink::kPlain : Ink::kBadStrong);
    text += line.Render(columns, style) + "\n";
    for (const std::string& words : Wrap(each.detail, columns - kIndent, kMostLines, style)) {
      text += TextLine().To(kIndent).Add(words, Ink::kFaint).Render(columns, style) + "\n";
    }
  }
  return text + fmt::format("\n {} of {} expectations held, in {:.1f} s.",
                            std::ranges::count_if(expectations, &Expectation::held),
                            expectations.size(), seconds);
}

std::string ChecklistJson(const std::vector<Expectation>& expectations, double seconds) {
  return JsonObject([&](JsonWriter& json) {
    json.Field("passed", std::ranges::all_of(expectations, &Expectation::held));
    json.Field("seconds", static_cast<std::int64_t>(seconds));
    json.Objects("expectations", expectations, [&](const Expectation& each) {
      json.Field("what", each.what);
      json.Field("held", each.held);
      json.Field("detail", each.detail);
    });
  });
}

// Runs the agent until the show is over or a signal comes.
Result<void> Perform(const AgentConfig& config, DemoShow& show, const DemoOptions& demo) {
  AgentOptions options;
  options.stop_pods = true;
  options.handle_signals = false;
  options.log = [&show](std::string_view line) { show.KeepLogLine(line); };
  bool over = false;
  options.observer = [&](const Snapshot& snapshot) {
    if (over || !show.Observe(snapshot)) return;
    over = true;
    running_agent.load()->Stop();
  };
  auto agent = Agent::Make(config, std::move(options));
  if (!agent) return Fail(agent.error());
  running_agent = agent->get();
  ::alarm(kLimitSeconds * static_cast<unsigned>(demo.patience));
  if (first_signal != 0) (*agent)->Stop();
  auto ran = (*agent)->Run();
  running_agent = nullptr;
  ::alarm(0);
  return ran;
}

int Judge(const DemoShow& show, const DemoOptions& options) {
  const std::vector<Expectation> expectations = show.story().Check();
  const double seconds = show.story().Seconds();
  fmt::print(
      "{}{}\n", options.json ? "" : "\n",
      options.json ? ChecklistJson(expectations, seconds) : ChecklistText(expectations, seconds));
  if (std::ranges::all_of(expectations, &Expectation::held)) return 0;
  show.PrintLog();
  return kExitFailed;
}

// The demo on a node that stands.
int RunOn(const DemoNode& node, const DemoOptions& options) {
  const auto config = Furnish(node.paths());
  if (!config) return Complain(config.error().message);
  if (!options.json) {
    fmt::print("jettison demo: {}\n\n", node.Describe());
    std::fflush(stdout);
  }
  DemoShow show(node.paths(), options);
  const auto performed = Perform(*config, show, options);
  if (!performed) {
    show.PrintLog();
    return Complain(performed.error().message);
  }
  return first_signal != 0 ? 0 : Judge(show, options);
}

// Sets up the node, runs the demo on it and removes it again.
int RunOnNewNode(const DemoOptions& options) {
  DemoNode node;
  if (const auto made = node.SetUp(); !made) {
    return Complain(made.error().In("cannot set up the node").message);
  }
  const int exit_code = first_signal != 0 ? 0 : RunOn(node, options);
  const auto torn_down = node.TearDown();
  return torn_down ? exit_code : Complain(torn_down.error().In("cannot clean up").message);
}

int RunDemo(const DemoOptions& options) {
  if (::geteuid() != 0) {
    return Complain(
        "needs root to create cgroups and to mount a small file system; nothing was changed. Run "
        "the same command as root, with sudo for example");
  }
  CatchSignals();
  const DemoLeftovers leftovers = RemoveDemoLeftovers();
  for (const std::string& removed : leftovers.removed) {
    PrintError("jettison demo: removed what an earlier demo left behind: {}\n", removed);
  }
  if (!leftovers.running.empty()) {
    return Complain(fmt::format(
        "another demo is running ({}) and uses the same process ids: wait until it has ended",
        leftovers.running.front()));
  }
  const int exit_code = RunOnNewNode(options);
  if (first_signal == 0) return exit_code;
  if (exit_code == 0) PrintError("\njettison demo: interrupted; its node was removed\n");
  return kSignalBase + first_signal;
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
      "\n"
      "Exit status: 0 every expectation held; 1 an expectation failed, or the demo did not run as\n"
      "root; 2 wrong usage; 130 or 143 interrupted.");
  command->callback([options, output, &exit_code] {
    options->json = *output == "json";
    exit_code = RunDemo(*options);
  });
}

}  // namespace jettison
