#include "cli/top/top.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <utility>

#include "api/overview/overview.h"
#include "cli/ask/ask_agent.h"
#include "cli/terminal/options.h"
#include "cli/terminal/output.h"
#include "core/text/printable.h"
#include "http/client/client.h"

namespace jettison {
namespace {

constexpr int kUnderPressure = 3;

constexpr int kFailedCheck = 500;

struct StatusOptions {
  AskOptions ask;
  std::string output = "text";
  bool exit_code = false;
  bool ready = false;
};

// Whether the agent is ready, as a probe of Kubernetes asks.
int RunReadiness(const AskOptions& options) {
  const auto target = TargetOf(options);
  if (!target) return Report(target.error());
  const auto answer = HttpGet(*target, "/readyz?verbose");
  if (!answer) return Report(answer.error());
  if (answer->status == kFailedCheck) {
    PrintError("jettison: the agent is not ready:\n{}", answer->body);
    return kExitFailed;
  }
  if (const auto answered = CheckAnswer(*answer); !answered) {
    return Report(answered.error());
  }
  return PrintText("the agent is ready\n");
}

// Returns the exit status.
int PrintPage(std::vector<TextLine> title, const Overview& overview) {
  std::string text;
  for (const std::string& line :
       NodePage(std::move(title), overview,
                {.columns = ColumnsOfStandardOutput(), .rows = {}, .colored = HasColors()})) {
    text += line + "\n";
  }
  return PrintData(text);  // the lines are printable
}

int RunStatus(const StatusOptions& options) {
  if (options.ready && (options.exit_code || options.output != "text")) {
    PrintError("jettison: --ready goes with neither --output nor --exit-code\n");
    return kExitInvalidInput;
  }
  if (options.ready) return RunReadiness(options.ask);
  const auto answer = AskAgent(options.ask, kOverviewPath);
  if (!answer) return Report(answer.error());
  const auto overview = ReadOverview(*answer);
  if (!overview) return Report(overview.error());
  const int printed = options.output == "json" ? PrintData(*answer) : PrintPage({}, *overview);
  if (printed != 0) return printed;
  const bool pressure = std::ranges::any_of(overview->conditions, &OverviewCondition::status);
  return options.exit_code && pressure ? kUnderPressure : 0;
}

constexpr const char* kStatusFooter =
    "Examples:\n"
    "  jettison status\n"
    "  jettison status --ready                     whether the agent can do all of its work\n"
    "  jettison status --exit-code >/dev/null || echo 'down, or under pressure'\n"
    "  jettison status --output json | jq '.signals[] | select(.thresholds[].met) | .signal'\n"
    "\n"
    "Exit status: 0 the agent answered, with --ready: and is ready; 1 it did not, or is not; 2 "
    "wrong\n"
    "usage; 3 with --exit-code, a condition of the node is true.";

struct TopOptions {
  AskOptions ask = {.timeout_seconds = 2};
  double interval_seconds = 1;
  std::string signal;  // pods are ranked for it; empty: for the nearest
  int count = 0;       // ends after so many overviews; 0: never
};

Result<Overview> AskOverview(const TopOptions& options) {
  std::string path = kOverviewPath;
  if (!options.signal.empty()) path.append("?signal=").append(options.signal);
  const auto answer = AskAgent(options.ask, path);
  return answer ? ReadOverview(*answer) : Fail(answer.error());
}

// `trouble`: why the agent did not answer since; empty: it did.
TextLine TitleOf(const Overview& overview, const std::string& trouble) {
  TextLine title("jettison top  ", Ink::kStrong);
  if (trouble.empty()) return title.Add(ClockText(overview.at), Ink::kFaint);
  return title.Add(fmt::format("as of {}: {}", ClockText(overview.at), trouble), Ink::kBadStrong);
}

// The signals that end this, from now on between two pictures.
sigset_t TakeSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&signals, signal);
  ::sigprocmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

// Waits for so long, or for one of these signals: whether one came.
bool EndsWithin(double seconds, const sigset_t& signals) {
  const auto whole = static_cast<time_t>(seconds);
  const timespec wait = {
      .tv_sec = whole, .tv_nsec = static_cast<long>((seconds - static_cast<double>(whole)) * 1e9)};
  return ::sigtimedwait(&signals, nullptr, &wait) > 0;
}

// Goes on where the agent does not answer, saying so.
int RunTop(const TopOptions& options) {
  auto overview = AskOverview(options);
  if (!overview) return Report(overview.error());
  const sigset_t signals = TakeSignals();
  const bool is_screen = IsScreen();
  std::string trouble;
  for (int asked = 1;; ++asked) {
    int status = 0;
    if (is_screen) {
      DrawNode({TitleOf(*overview, trouble)}, *overview);
    } else {
      status = PrintPage({TitleOf(*overview, trouble)}, *overview);
    }
    if (status != 0 || asked == options.count) return status;
    if (EndsWithin(options.interval_seconds, signals)) return 0;
    auto next = AskOverview(options);
    trouble = next ? "" : next.error().message;
    if (next) overview = std::move(next);
  }
}

constexpr const char* kTopFooter =
    "Without a terminal, or on one that cannot move its cursor (TERM=dumb), top prints the page\n"
    "again at each update. NO_COLOR switches colours off.\n"
    "\n"
    "Ctrl-C quits. For all pods, use jettison rank.\n"
    "\n"
    "Examples:\n"
    "  jettison top\n"
    "  jettison top --signal nodefs.available --interval 0.5\n"
    "  jettison top --interval 60 --count 60 >hour.log\n"
    "\n"
    "Exit status: 0 ended by a signal or --count; 1 the agent could not be reached when it began,\n"
    "or standard output cannot be written; 2 wrong usage.";

}  // namespace

void DrawNode(std::vector<TextLine> title, const Overview& overview) {
  const ScreenSize size = SizeOfStandardOutput();
  DrawScreen(NodePage(std::move(title), overview,
                      {.columns = size.columns, .rows = size.rows, .colored = HasColors()}));
}

Result<Overview> ReadOverview(std::string_view json) {
  return ReadAnswer<Overview>(json, "overview", "signals");
}

void AddStatus(CLI::App& app, int& exit_code) {
  const auto [command, options] = AddCommand(
      app, exit_code, "status", "Show the state of the node: conditions, signals, evictions",
      kStatusFooter, RunStatus);
  AddOutput(command, options.output);
  command.add_flag("--exit-code", options.exit_code,
                   "exit with status 3 if a condition of the node is true");
  command.add_flag(
      "--ready", options.ready,
      "only say whether /readyz passes, with its checks where it does not; not together "
      "with --output or --exit-code");
  AddAskOptions(command, options.ask);
}

void AddTop(CLI::App& app, int& exit_code) {
  const auto [command, options] =
      AddCommand(app, exit_code, "top",
                 "Watch the node live: signals, pods in the order of eviction", kTopFooter, RunTop);
  command
      .add_option("--interval", options.interval_seconds,
                  "seconds between updates, from 0.1 to 3600")
      ->check(CLI::Range(0.1, 3600.0))
      ->check([](const std::string& text) {  // for which a range is no bound
        const bool is_nan = std::isnan(std::strtod(text.c_str(), nullptr));
        return is_nan ? std::string("nan is no number of seconds") : std::string();
      })
      ->capture_default_str();
  command
      .add_option("--signal", options.signal,
                  "rank the pods for this signal (default: the one nearest to its threshold)")
      ->type_name("SIGNAL")
      ->check(KnownSignal());
  command.add_option("--count", options.count, "end after this many updates; 0: do not end")
      ->check(CLI::Range(0, 1'000'000'000))
      ->capture_default_str();
  AddAskOptions(command, options.ask);
}

}  // namespace jettison
