#include "cli/demo/demo.h"

#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "agent/node_agent.h"
#include "cli/ask/config_files.h"
#include "cli/terminal/options.h"
#include "cli/terminal/output.h"
#include "cli/top/top.h"
#include "core/json/json_writer.h"
#include "kernel/files/files.h"
#include "kernel/procfs/procfs.h"
#include "machine/cgroups/host_cgroups.h"
#include "pods/tree_removal.h"
#include "ports/cgroups.h"
#include "ports/file_descriptor.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

constexpr int kSignalBase = 128;
// Process ids are the machine's: the threshold lies so far below what is free now that only the
// forking pod gets there.
constexpr std::int64_t kPidHeadroom = 500;

struct DemoOptions {
  bool plain = false;
  std::string output = "text";
  int patience = 1;
};

// A signal handler can reach nothing else. Both are lock-free, and NodeAgent::Stop may be called
// from a handler.
std::atomic<int> first_signal = 0;
std::atomic<NodeAgent*> running_agent = nullptr;

void StopAgent(int signal) {
  int none = 0;
  first_signal.compare_exchange_strong(none, signal);
  if (NodeAgent* agent = running_agent.load()) agent->Stop();
}

namespace fs = std::filesystem;

// The limit keeps the machine out of the forking pod's reach.
constexpr std::int64_t kMostPids = 1500;
// The pods that behave leave 150 MiB of memory and 60 MiB of disk above the thresholds, and each
// that does not takes a few seconds for that.
constexpr std::uint64_t kMemoryBytes = std::uint64_t{512} << 20;
// What every demo's folder and control group are called, followed by its process id.
constexpr std::string_view kDemoPrefix = "jettison-demo-";

// Only root writes there, so what has this name is a demo's.
std::string FolderOf(const std::string& name) {
  return "/run/" + name;
}

// The node of a demo: a control group of 512 MiB, and a folder with a file system of 96 MiB in
// memory. The root of the groups is locked while this lives, however the demo ends.
class DemoNode {
 public:
  DemoNode() = default;
  DemoNode(const DemoNode&) = delete;
  DemoNode& operator=(const DemoNode&) = delete;
  ~DemoNode() { (void)TearDown(); }

  // Removes what demos that were killed have left behind, and answers their names. Fails where
  // another demo runs. Call it first.
  Result<std::vector<std::string>> RemoveLeftovers() {
    auto cgroups = OpenHostCgroups({.remove_patience = std::chrono::seconds(5)});
    if (!cgroups) return Fail(cgroups.error());
    cgroups_ = *std::move(cgroups);
    auto root = cgroups_->OpenMemoryDirectory("");
    if (!root) return Fail(root.error());
    lock_ = *std::move(root);
    if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) {
      return Fail(ErrorCode::kUnavailable,
                  "another demo is running and uses the same process ids: wait until it has ended");
    }
    const auto groups = cgroups_->Children("");
    if (!groups) return Fail(groups.error());
    std::vector<std::string> removed;
    for (const std::string& name : *groups) {
      if (name.starts_with(kDemoPrefix) && Remove(name)) removed.push_back(name);
    }
    return removed;
  }

  Result<void> SetUp() {
    name_ = fmt::format("{}{}", kDemoPrefix, ::getpid());
    auto made = cgroups_->Create(name_, {.memory_bytes = kMemoryBytes, .pids_max = kMostPids});
    if (!made) return made;
    for (const char* below : {"", "/node", "/manifests", "/scratch"}) {
      if (::mkdir((folder() + below).c_str(), 0755) != 0) {
        return FailErrno("make " + folder() + below);
      }
    }
    if (::mount("jettison-demo", (folder() + "/node").c_str(), "tmpfs", MS_NOSUID | MS_NODEV,
                "size=96m,nr_inodes=4096,mode=0755") != 0) {
      return FailErrno("mount a tmpfs in " + folder());
    }
    return {};
  }

  // Removes everything, and answers what could not be removed.
  Result<void> TearDown() {
    return name_.empty() ? Result<void>() : Remove(std::exchange(name_, {}));
  }

  [[nodiscard]] std::string folder() const { return FolderOf(name_); }

 private:
  // The processes go first, then the mounts, then the files, and the group last, because the next
  // demo finds by it what is left. Each is tried, whatever became of the one before; the first
  // failure is the cause of the others.
  Result<void> Remove(const std::string& name) {
    Result<void> outcome = cgroups_->Kill(name);
    const auto files = RemoveTrees({FolderOf(name)});
    if (outcome || outcome.error().code == ErrorCode::kNotFound) outcome = cgroups_->Remove(name);
    return outcome ? files : outcome;
  }

  std::unique_ptr<Cgroups> cgroups_;
  std::string name_;  // of the group and of the folder; empty: there is none
  FileDescriptor lock_;
};

// Writes the node's configuration and manifests, and answers the configuration as the agent will
// understand it.
Result<AgentConfig> Furnish(const std::string& folder) {
  std::error_code error;
  const std::string program = fs::read_symlink("/proc/self/exe", error);
  if (error) return Fail(SystemError(error.value(), "read /proc/self/exe"));
  const auto procfs = Procfs::Open();
  if (!procfs) return Fail(procfs.error());
  const auto pids = procfs->ReadRlimit();
  if (!pids) return Fail(pids.error());
  const std::int64_t free = *pids->max_pid - *pids->running;
  if (free < kPidHeadroom + kMostPids) {
    return Fail(ErrorCode::kUnavailable,
                fmt::format("only {} process ids are free on this host, and the demo needs {}",
                            free, kPidHeadroom + kMostPids));
  }
  const std::int64_t pid_threshold = free - kPidHeadroom;
  const std::string config = folder + "/jettison.yaml";
  auto written = kernel::WriteFile(config, DemoConfigText(folder, pid_threshold));
  for (const DemoPod& pod : DemoPods()) {
    if (!written) break;
    written = kernel::WriteFile(fmt::format("{}/manifests/{}.yaml", folder, pod.name),
                                DemoManifestText(folder, program, pod));
  }
  if (!written) return Fail(written.error());
  ConfigReading reading = ReadConfigFiles({.files = {config}});
  if (!reading.faults.empty()) {
    return Fail(ErrorCode::kInvalidArgument, DescribeAll(reading.faults));
  }
  reading.config.recording.enabled = false;  // its folder goes with it
  return std::move(reading.config);
}

// Leads the demo from one snapshot to the next: opens and closes gates, and shows the node as
// `jettison top` does.
class DemoShow {
 public:
  DemoShow(std::string folder, const DemoOptions& options)
      : folder_(std::move(folder)),
        is_silent_(options.output == "json"),
        is_screen_(!options.plain && !is_silent_ && IsScreen()),
        story_(options.patience) {}

  // Whether the demo is over.
  bool Observe(const Snapshot& snapshot) {
    const Overview overview = OverviewOf(snapshot, DemoActs()[story_.act()].signal);
    story_.GoOn(overview);
    OpenGate(story_.OpenGate());
    if (!is_silent_) Show(overview);
    return story_.finished();
  }

  [[nodiscard]] const DemoStory& story() const { return story_; }

 private:
  void OpenGate(std::string_view pod) {
    if (pod == open_gate_) return;
    const std::string gate = folder_ + "/gate-";
    if (!open_gate_.empty()) ::unlink((gate + open_gate_).c_str());
    if (!pod.empty()) (void)kernel::WriteFile(gate + std::string(pod), "");
    open_gate_ = pod;
  }

  void Show(const Overview& overview) {
    const DemoAct& act = DemoActs()[story_.act()];
    if (is_screen_) {
      TextLine title("jettison demo  ", Ink::kStrong);
      title.Add(act.title);
      return DrawNode({title, TextLine(act.lesson, Ink::kFaint)}, overview);
    }
    std::string text;
    for (const OverviewEvent& event : overview.events) {
      if (event.at <= shown_until_) continue;
      text += fmt::format("{}  {} {}: {}\n", ClockText(event.at),
                          event.refused_for.empty() ? event.reason : "Refused", event.object,
                          event.message);
    }
    shown_until_ = overview.at;
    if (shown_act_ != act.title) text.append(act.title).append("\n");
    shown_act_ = act.title;
    (void)PrintText(text);
  }

  const std::string folder_;
  const bool is_silent_;
  const bool is_screen_;
  DemoStory story_;
  Instant shown_until_;
  std::string_view shown_act_;
  std::string open_gate_;
};

// Prints a line for each expectation with a mark, and what is behind it below: whether all held.
bool Judge(const DemoStory& story, const DemoOptions& demo) {
  const std::vector<Expectation> expectations = story.Check();
  const auto held = std::ranges::count_if(expectations, &Expectation::held);
  const bool is_good = held == std::ssize(expectations);
  if (demo.output == "json") {
    const std::string json = JsonObject([&](JsonWriter& writer) {
      writer.Field("passed", is_good);
      writer.Field("seconds", static_cast<std::int64_t>(story.Seconds()));
      writer.Objects("expectations", expectations, [&](const Expectation& each) {
        writer.Field("what", each.what);
        writer.Field("held", each.held);
        writer.Field("detail", each.detail);
      });
    });
    return PrintData(json + "\n") == 0 && is_good;
  }
  const bool colored = HasColors();
  std::string text = "\n";
  for (const Expectation& each : expectations) {
    TextLine line(" ");
    line.Add(each.held ? "✓" : "NO", each.held ? Ink::kGood : Ink::kBad);
    line.To(5).Add(each.what);
    text += line.Render(line.width(), colored) + "\n";
    if (!each.detail.empty()) text += "      " + each.detail + "\n";
  }
  text += fmt::format("\n {} of {} expectations held, in {:.1f} s.\n", held, expectations.size(),
                      story.Seconds());
  return PrintData(text) == 0 && is_good;
}

// Runs the agent on a node that stands until the show is over or a signal comes: whether every
// expectation held.
Result<bool> RunOn(const DemoNode& node, const DemoOptions& demo) {
  const auto config = Furnish(node.folder());
  if (!config) return Fail(config.error());
  DemoShow show(node.folder(), demo);
  std::string log;
  AgentOptions options;
  options.stop_pods = true;
  options.handle_signals = false;
  options.log = [&log](std::string_view line) { log.append("  ").append(line).append("\n"); };
  options.observer = [&show, over = false](const Snapshot& snapshot) mutable {
    if (over || !show.Observe(snapshot)) return;
    over = true;
    running_agent.load()->Stop();
  };
  const auto agent = OpenAgent(*config, std::move(options));
  if (!agent) return Fail(agent.error());
  running_agent = agent->get();
  if (first_signal != 0) (*agent)->Stop();
  const auto ran = (*agent)->Run();
  running_agent = nullptr;
  if (first_signal != 0) return true;
  const bool held = ran && Judge(show.story(), demo);
  if (!held) PrintError("\nThe log of the agent:\n{}", log);
  if (!ran) return Fail(ran.error());
  return held;
}

// Sets up the node, runs the demo on it and removes it again.
Result<bool> RunOnNewNode(const DemoOptions& options) {
  if (::geteuid() != 0) {
    return Fail(ErrorCode::kPermissionDenied,
                "needs root to create cgroups and to mount a small file system; nothing was "
                "changed. Run the same command as root, with sudo for example");
  }
  DemoNode node;
  const auto leftovers = node.RemoveLeftovers();
  if (!leftovers) return Fail(leftovers.error());
  for (const std::string& removed : *leftovers) {
    PrintError("jettison demo: removed what an earlier demo left behind: {}\n", removed);
  }
  if (const auto made = node.SetUp(); !made) return Fail(made.error().In("cannot set up the node"));
  auto held = first_signal != 0 ? true : RunOn(node, options);
  const auto torn_down = node.TearDown();
  if (held && !torn_down) return Fail(torn_down.error().In("cannot clean up"));
  return held;
}

int RunDemo(const DemoOptions& options) {
  // A handler and not SIG_IGN: programs started from here would inherit that. What was ignored
  // stays so (nohup).
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) {
    if (std::signal(signal, StopAgent) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
  const auto held = RunOnNewNode(options);
  if (!held) PrintError("jettison demo: {}\n", held.error().message);
  if (first_signal == 0) return held && *held ? 0 : kExitFailed;
  if (held) PrintError("\njettison demo: interrupted; its node was removed\n");
  return kSignalBase + first_signal;
}

constexpr const char* kDemoFooter =
    "Runs the agent on a node of 512 MiB with eight pods, of which one leaks memory, one fills\n"
    "the disk, one exceeds the limit of its emptyDir and one forks, for half a minute. At the\n"
    "end it checks which pods were evicted, why and in which order, and which were not.\n"
    "\n"
    "It makes these changes to this host, and undoes them however it ends:\n"
    "  a cgroup jettison-demo-PID with limits: 512 MiB of memory, 1500 processes\n"
    "  a folder /run/jettison-demo-PID, with a tmpfs of 96 MiB\n"
    "\n"
    "Exit status: 0 every expectation held; 1 an expectation failed, or the demo did not run as\n"
    "root; 2 wrong usage; 130 or 143 interrupted.";

}  // namespace

void AddDemo(CLI::App& app, int& exit_code) {
  const auto [command, options] =
      AddCommand(app, exit_code, "demo",
                 "Show a small node under pressure: what is evicted, when and why (needs root)",
                 kDemoFooter, RunDemo);
  command.add_flag("--plain", options.plain, "print lines even on a terminal");
  AddOutput(command, options.output, "text: live; json: only the result, as one object");
  command
      .add_option("--patience", options.patience,
                  "factor by which the demo may take longer on a slow machine before it fails")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
}

}  // namespace jettison
