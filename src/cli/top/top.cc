#include "cli/top/top.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <ctime>
#include <memory>
#include <string>
#include <utility>

#include "cli/ask/ask_agent.h"
#include "cli/terminal/option_checks.h"
#include "cli/terminal/output.h"
#include "cli/terminal/terminal.h"
#include "cli/top/overview_reader.h"
#include "cli/top/overview_text.h"
#include "cli/top/top_screen.h"
#include "core/text/printable.h"

namespace jettison {
namespace {

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
  if (!answer) return Fail(answer.error());
  auto overview = ReadOverview(*answer);
  if (!overview) return Fail(ErrorCode::kInternal, overview.error().message);
  return *std::move(overview);
}

// The exit status.
int PrintLines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return PrintData(text);  // the lines are printable
}

// `trouble`: why the agent did not answer since; empty: it did.
void Draw(const Overview& overview, const std::string& trouble) {
  TextLine title("jettison top  ", Ink::kStrong);
  if (trouble.empty()) {
    title.Add(ClockText(overview.at), Ink::kFaint);
  } else {
    title.Add(fmt::format("as of {}: {}", ClockText(overview.at), trouble), Ink::kBadStrong);
  }
  DrawScreen(ComposeTop({title}, overview, SizeOfStandardOutput(), StyleOfStandardOutput()));
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
  if (!overview) return ReportUnanswered(overview.error());
  const sigset_t signals = TakeSignals();
  const bool is_screen = IsScreen();
  std::string trouble;
  TopLines lines;
  for (int asked = 1;; ++asked) {
    int status = 0;
    if (is_screen) {
      Draw(*overview, trouble);
    } else if (trouble.empty()) {
      status = PrintLines(lines.News(*overview));
    } else {
      status = PrintLines({Printable("the agent does not answer: " + trouble)});
    }
    if (status != 0 || asked == options.count) return status;
    if (EndsWithin(options.interval_seconds, signals)) return 0;
    auto next = AskOverview(options);
    trouble = next ? "" : next.error().message;
    if (next) overview = std::move(next);
  }
}

constexpr const char* kTopFooter =
    "Without a terminal, or on one that cannot move its cursor (TERM=dumb), top prints one line\n"
    "about the node at each update, and one line for each event. NO_COLOR switches colours off.\n"
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

void AddTop(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<TopOptions>();
  CLI::App* command =
      app.add_subcommand("top", "Watch the node live: signals, pods in the order of eviction");
  command
      ->add_option("--interval", options->interval_seconds,
                   "seconds between updates, from 0.1 to 3600")
      ->check(Number(0.1, 3600))
      ->capture_default_str();
  command
      ->add_option("--signal", options->signal,
                   "rank the pods for this signal (default: the one nearest to its threshold)")
      ->type_name("SIGNAL")
      ->check(KnownSignal());
  command->add_option("--count", options->count, "end after this many updates; 0: do not end")
      ->check(CLI::Range(0, 1'000'000'000))
      ->capture_default_str();
  AddAskOptions(*command, options->ask);
  command->footer(kTopFooter);
  command->callback([options, &exit_code] { exit_code = RunTop(*options); });
}

}  // namespace jettison
