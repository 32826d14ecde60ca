#include "cli/top/top.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <string>

#include "cli/ask/ask_agent.h"
#include "cli/terminal/full_screen.h"
#include "cli/terminal/number_option.h"
#include "cli/top/ask_overview.h"
#include "cli/top/overview_reader.h"
#include "cli/top/top_live.h"

namespace jettison {
namespace {

struct TopOptions {
  AskOptions ask = {.timeout_seconds = 2};  // the key waits for it
  double interval_seconds = 1;
  std::string signal;
  int count = 0;  // 0: no end
};

Result<Overview> Ask(const AskOptions& options, std::optional<Signal> signal) {
  const auto answer = AskAgent(options, OverviewPath(signal));
  if (!answer) return Fail(answer.error());
  auto overview = ReadOverview(*answer);
  if (!overview) return Fail(ErrorCode::kInternal, overview.error().message);
  return *std::move(overview);
}

int RunTop(const TopOptions& options) {
  const auto chosen = SignalNamed(options.signal);
  auto first = Ask(options.ask, chosen);
  if (!first) return ReportUnanswered(first.error());
  const std::chrono::duration<double> interval(options.interval_seconds);
  TopSource source = {
      .ask = [&options](std::optional<Signal> signal) { return Ask(options.ask, signal); },
      .interval = std::chrono::duration_cast<Duration>(interval),
      .count = options.count};
  const auto screen = FullScreen::Open();
  if (!screen) return ShowLines(source, *std::move(first), chosen);
  ShowLive(source, *std::move(first), chosen, *screen);
  return 0;
}

constexpr const char* kTopFooter =
    "Without a terminal, or on one that cannot move its cursor (TERM=dumb), top prints one line\n"
    "about the node at each update, and one line for each event. NO_COLOR switches colours off.\n"
    "\n"
    "q or Ctrl-C quits. For all pods, use jettison rank.\n"
    "\n"
    "Examples:\n"
    "  jettison top\n"
    "  jettison top --signal nodefs.available --interval 0.5\n"
    "  jettison top --interval 60 --count 60 >hour.log\n"
    "\n"
    "Exit status: 0 ended by a key, a signal or --count; 1 the agent could not be reached when it\n"
    "began, or standard output cannot be written; 2 wrong usage.";

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
  AddSignalOption(*command, options->signal,
                  "rank the pods for this signal (default: the one nearest to its threshold)");
  command->add_option("--count", options->count, "end after this many updates; 0: do not end")
      ->check(CLI::Range(0, 1'000'000'000))
      ->capture_default_str();
  AddAskOptions(*command, options->ask);
  command->footer(kTopFooter);
  command->callback([options, &exit_code] { exit_code = RunTop(*options); });
}

}  // namespace jettison
