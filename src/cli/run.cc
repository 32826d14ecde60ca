#include <fmt/format.h>
#include <poll.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/node_agent.h"
#include "api/serve.h"
#include "cli/ask/config_files.h"
#include "cli/commands.h"
#include "cli/terminal/options.h"
#include "cli/terminal/output.h"
#include "machine/log/log.h"
#include "view/board.h"

namespace jettison {
namespace {

struct RunOptions {
  ConfigSources sources;
  std::string output = "text";
  bool dry_run = false;
  bool stop_pods = false;
};

// What is read again, and who has to do with it. Shared with the thread that reads.
class Rereading {
 public:
  Rereading(ConfigRereader config, std::shared_ptr<Board> board)
      : config_(std::move(config)), board_(std::move(board)) {}

  // Certificates and tokens are read, too: where they are faulty, nothing else changes either.
  ConfigReading Read() {
    ConfigReading reading =
        config_.ReadAgain([this](ConfigReading& valid) { ReadCredentials(valid); });
    reading.config.node_name = NodeNameOf(reading.config);
    return reading;
  }
  std::optional<ConfigReading> LookAtKubelet() {
    auto reading = config_.LookAtKubelet();
    if (reading) reading->config.node_name = NodeNameOf(reading->config);
    return reading;
  }
  // Uses what was read last.
  void Use() {
    const std::lock_guard lock(mutex_);
    if (serving_ && use_) std::exchange(use_, nullptr)();
  }
  // Null: nobody is served.
  void SetServing(std::shared_ptr<Serving> serving) {
    const std::lock_guard lock(mutex_);
    serving_.swap(serving);
  }

 private:
  void ReadCredentials(ConfigReading& reading) {
    std::unique_lock lock(mutex_);
    const auto serving = serving_;
    lock.unlock();
    if (!serving) return;
    auto read = serving->ReadCredentials(reading.config.http);
    if (!read) {
      reading.faults.push_back(
          {.file = "", .key = "http", .value = "", .message = read.error().message});
      return;
    }
    lock.lock();
    use_ = *std::move(read);
  }

  ConfigRereader config_;               // of the thread that reads
  const std::shared_ptr<Board> board_;  // outlives who is served with it
  std::mutex mutex_;
  std::shared_ptr<Serving> serving_;  // guarded by mutex_
  std::function<void()> use_;         // guarded by mutex_; empty: nothing was read since
};

// Runs the agent with its HTTP API beside it, which stands before the agent begins and as long as
// it runs.
Result<void> RunServed(const AgentConfig& config, AgentOptions options, ConfigRereader rereader) {
  const bool is_asked = !config.http.socket.empty() || !config.http.address.empty();
  const auto board = is_asked ? std::make_shared<Board>() : nullptr;
  options.board = board;
  const auto rereading = std::make_shared<Rereading>(std::move(rereader), board);
  options.config.again = [rereading] { return rereading->Read(); };
  options.config.kubelet = [rereading] { return rereading->LookAtKubelet(); };
  if (config.source == SourceKind::kKubernetes) {
    options.config.kubelet_every = std::chrono::minutes(1);
  }
  options.on_config = [rereading](const AgentConfig&) { rereading->Use(); };
  const auto agent = OpenAgent(config, std::move(options));
  if (!agent) return Fail(agent.error());
  if (!board) return (*agent)->Run();
  auto opened = Serving::Open(config.http, *board);
  if (!opened) return Fail(opened.error());
  const std::shared_ptr<Serving> serving = std::move(*opened);
  rereading->SetServing(serving);
  auto result = (*agent)->Run();
  rereading->SetServing(nullptr);
  return result;
}

// A reader that has stopped reading must not keep the next agent from starting.
void SayLast(const std::string& text) {
  constexpr int kPatienceMs = 1000;
  pollfd room = {.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
  if (poll(&room, 1, kPatienceMs) > 0) PrintError("{}", text);
}

// Says why the agent does not start, and returns its exit status; 0: nothing keeps it. What cannot
// be read now, and what the kubelet's configuration causes, may be well at the next start, which
// the service manager must try.
int SayRefusal(const ConfigReading& reading) {
  for (const Fault& fault : reading.faults) PrintError("jettison: {}\n", Describe(fault));
  for (const Fault& fault : reading.not_above_kubelet) {
    PrintError("jettison: {}\n", Describe(fault));
  }
  const bool has_faults = !reading.faults.empty();
  const bool may_pass = reading.unread || reading.kubelet_at_fault;
  if (has_faults && !may_pass) return kExitInvalidInput;
  if (!has_faults && reading.not_above_kubelet.empty()) return 0;
  if (reading.kubelet_at_fault || !has_faults) {
    PrintError(
        "jettison: this depends on the kubelet's configuration, so another start may succeed "
        "without a change of the agent's own\n");
  }
  return kExitFailed;
}

int RunAgent(const RunOptions& options) {
  // Whoever reads the log may go, and a file may reach its limit; a write then fails, which is
  // enough. What the agent starts has the default again.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  ConfigRereader rereader(options.sources);
  ConfigReading reading = rereader.ReadFirst();
  TellWarnings(reading);
  if (const int refused = SayRefusal(reading); refused != 0) return refused;
  reading.config.node_name = NodeNameOf(reading.config);

  AgentOptions agent_options;
  agent_options.config.dry_run = options.dry_run;
  agent_options.stop_pods = options.stop_pods;
  agent_options.log_format = options.output == "json" ? LogFormat::kJson : LogFormat::kText;
  agent_options.config.kubelet_thresholds = reading.kubelet_thresholds;
  const auto result = RunServed(reading.config, std::move(agent_options), std::move(rereader));
  if (result) return 0;
  SayLast(fmt::format("jettison: {}\n", result.error().message));
  return kExitFailed;
}

constexpr const char* kRunFooter =
    "FILE holds KubeletConfiguration and JettisonConfiguration documents, in YAML or JSON. The\n"
    "files are read together. The log is written to standard error. SIGTERM and SIGINT stop the\n"
    "agent; its pods keep running, and the next agent adopts them. On SIGHUP the agent reads the\n"
    "files again: thresholds, grace periods, hooks, the log level, certificates and tokens change\n"
    "at once, and the log names other changes, which need a restart. If a file is faulty, nothing\n"
    "changes.\n"
    "\n"
    "--config-dir names a folder of drop-ins: files whose names end in .yaml, .yml, .json or\n"
    ".conf. They are merged over the other files in the order of their names, and change only the\n"
    "fields that they name. SIGHUP reads them again, too.\n"
    "\n"
    "Examples:\n"
    "  jettison run --config kubelet.yaml --config jettison.yaml\n"
    "  jettison run --config /etc/jettison/jettison.yaml --config-dir /etc/jettison/conf.d\n"
    "  jettison run --config jettison.yaml --dry-run    say which pods would be evicted, evict "
    "none\n"
    "\n"
    "Exit status: 0 stopped by a signal; 1 could not start or continue, could not read the\n"
    "configuration, or cannot stand beside the kubelet's; 2 wrong usage or faulty configuration.";

}  // namespace

void AddRun(CLI::App& app, int& exit_code) {
  const auto [command, options] =
      AddCommand(app, exit_code, "run", "Run the agent, which guards this node and runs its pods",
                 kRunFooter, RunAgent);
  command.add_option("--config", options.sources.files, "Configuration files")
      ->required()
      ->type_name("FILE");
  AddConfigDir(command, options.sources.drop_ins);
  AddOutput(command, options.output, "Format of the log");
  command.add_flag("--dry-run", options.dry_run,
                   "Run pods and decide, but neither evict nor reclaim");
  command.add_flag("--stop-pods", options.stop_pods, "End the pods before the agent stops");
}

}  // namespace jettison
