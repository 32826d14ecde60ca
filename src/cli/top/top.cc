#include "cli/top/top.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
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
#include "ports/file_descriptor.h"

namespace jettison {
namespace {

using Clock = std::chrono::steady_clock;

struct TopOptions {
  AskOptions ask = {.timeout_seconds = 2};  // the key waits for it
  double interval_seconds = 1;
  std::string signal;  // pods are ranked for it; empty: for the nearest
  int count = 0;       // ends after so many overviews; 0: never

  [[nodiscard]] Clock::time_point NextTime() const {
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                              std::chrono::duration<double>(interval_seconds));
  }
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

// The signals that end the program or concern its terminal, to be read beside the keys: nothing is
// then cut off in the middle of a picture, and the terminal is given back on every way out.
FileDescriptor TakeSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP}) {
    sigaddset(&signals, signal);
  }
  ::sigprocmask(SIG_BLOCK, &signals, nullptr);
  return FileDescriptor(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
}

std::optional<int> NextSignal(const FileDescriptor& signals) {
  signalfd_siginfo info{};
  if (::read(signals.get(), &info, sizeof info) != static_cast<ssize_t>(sizeof info)) {
    return std::nullopt;
  }
  return static_cast<int>(info.ssi_signo);
}

int MillisecondsUntil(Clock::time_point due) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(due - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 3'600'000));
}

// Waits for an ending signal, for `q` where `keys` is set, or until then: whether top is to end. A
// change of the terminal's size ends the wait, too. While it is stopped (Ctrl-Z) the terminal is
// given back.
bool EndsWithin(Clock::time_point due, const FileDescriptor& signals, const FullScreen* screen,
                int& keyboard) {
  while (Clock::now() < due) {
    std::array<pollfd, 2> sources = {{{.fd = signals.get(), .events = POLLIN, .revents = 0},
                                      {.fd = keyboard, .events = POLLIN, .revents = 0}}};
    ::poll(sources.data(), sources.size(), MillisecondsUntil(due));
    if (sources[1].revents != 0) {
      std::array<char, 256> bytes{};
      const ssize_t size = ::read(keyboard, bytes.data(), bytes.size());
      if (size <= 0) keyboard = -1;  // it is gone; signals still end this
      const std::string_view keys(bytes.data(),
                                  static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
      if (keys.find_first_of("qQ") != std::string_view::npos) return true;
    }
    const auto signal = NextSignal(signals);
    if (!signal) continue;
    if (*signal != SIGTSTP && *signal != SIGWINCH) return true;
    if (*signal == SIGTSTP) {
      if (screen != nullptr) screen->Leave();
      ::raise(SIGSTOP);
      if (screen != nullptr) screen->Enter();
    }
    if (screen != nullptr) return false;
  }
  return false;
}

// Goes on where the agent does not answer, saying so.
void ShowLive(const TopOptions& options, Overview overview, const FullScreen& screen) {
  const FileDescriptor signals = TakeSignals();
  int keyboard = STDIN_FILENO;
  std::string trouble;
  auto due = options.NextTime();
  for (int asked = 1;;) {
    TextLine title;
    title.Add("jettison top", Ink::kStrong).Add("  q quit  ", Ink::kFaint);
    if (trouble.empty()) {
      title.Add(ClockText(overview.at), Ink::kFaint);
    } else {
      title.Add(fmt::format("as of {}: {}", ClockText(overview.at), trouble), Ink::kBadStrong);
    }
    screen.Draw(ComposeTop({title}, overview, SizeOfStandardOutput(), StyleOfStandardOutput()));
    if (EndsWithin(due, signals, &screen, keyboard)) return;
    if (Clock::now() < due) continue;
    if (asked == options.count) return;
    due = options.NextTime();
    ++asked;
    auto next = AskOverview(options);
    trouble = next ? "" : next.error().message;
    if (next) overview = *std::move(next);
  }
}

// The exit status.
int PrintLines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return PrintData(text);  // the lines are printable
}

int ShowLines(const TopOptions& options, const Overview& first) {
  const FileDescriptor signals = TakeSignals();
  int no_keyboard = -1;
  TopLines lines;
  int status = PrintLines(lines.News(first));
  for (int asked = 1; status == 0 && (options.count == 0 || asked < options.count); ++asked) {
    if (EndsWithin(options.NextTime(), signals, nullptr, no_keyboard)) return 0;
    const auto overview = AskOverview(options);
    status =
        overview
            ? PrintLines(lines.News(*overview))
            : PrintLines({Printable("the agent does not answer: " + overview.error().message)});
  }
  return status;
}

int RunTop(const TopOptions& options) {
  auto first = AskOverview(options);
  if (!first) return ReportUnanswered(first.error());
  const auto screen = FullScreen::Open();
  if (!screen) return ShowLines(options, *first);
  ShowLive(options, *std::move(first), *screen);
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
