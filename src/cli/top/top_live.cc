#include "cli/top/top_live.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <string>
#include <string_view>
#include <utility>

#include "cli/terminal/output.h"
#include "cli/terminal/terminal.h"
#include "cli/top/overview_text.h"
#include "cli/top/top_lines.h"
#include "cli/top/top_screen.h"
#include "core/text/printable.h"
#include "ports/file_descriptor.h"

namespace jettison {
namespace {

using Clock = std::chrono::steady_clock;

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

// One session on a terminal.
class Live {
 public:
  Live(const TopSource& source, Overview first, std::optional<Signal> chosen,
       const FullScreen& screen)
      : source_(source),
        overview_(std::move(first)),
        screen_(screen),
        signals_(TakeSignals()),
        due_(Clock::now() + source.interval),
        chosen_(chosen) {}

  void Run() {
    while (!finished_) {
      Draw();
      Wait();
      TakeKeys();
      TakeSignal();
      if (!finished_ && Clock::now() >= due_) Ask();
    }
  }

 private:
  void Draw() const {
    screen_.Draw(ComposeTop({.overview = overview_, .trouble = trouble_}, SizeOfStandardOutput(),
                            StyleOfStandardOutput()));
  }

  void Wait() {
    std::array<pollfd, 2> sources = {{{.fd = signals_.get(), .events = POLLIN, .revents = 0},
                                      {.fd = input_, .events = POLLIN, .revents = 0}}};
    ::poll(sources.data(), sources.size(), MillisecondsUntil(due_));
    has_input_ = sources[1].revents != 0;
  }

  void Ask() {
    due_ = Clock::now() + source_.interval;
    auto overview = source_.ask(chosen_);
    if (overview) {
      overview_ = *std::move(overview);
      trouble_.clear();
    } else {
      trouble_ = fmt::format("as of {}: {}", ClockText(overview_.at), overview.error().message);
    }
    if (source_.count > 0 && ++asked_ >= source_.count) finished_ = true;
  }

  void TakeKeys() {
    if (!has_input_) return;
    std::array<char, 256> bytes{};
    const ssize_t size = ::read(input_, bytes.data(), bytes.size());
    if (size <= 0) {
      input_ = -1;  // no keyboard, or it is gone; signals still end this
      return;
    }
    const std::string_view keys(bytes.data(), static_cast<std::size_t>(size));
    if (keys.find_first_of("qQ") != std::string_view::npos) finished_ = true;
  }

  void TakeSignal() {
    while (const auto signal = NextSignal(signals_)) {
      if (*signal == SIGWINCH) continue;  // the next picture has the new size
      if (*signal != SIGTSTP) {
        finished_ = true;
        continue;
      }
      screen_.Leave();
      ::raise(SIGSTOP);
      screen_.Enter();
    }
  }

  const TopSource& source_;
  Overview overview_;
  const FullScreen& screen_;
  FileDescriptor signals_;
  Clock::time_point due_;
  std::optional<Signal> chosen_;
  std::string trouble_;
  int input_ = STDIN_FILENO;
  bool has_input_ = false;
  bool finished_ = false;
  int asked_ = 1;
};

// The exit status.
int Print(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return PrintData(text);  // the lines are printable
}

}  // namespace

void ShowLive(const TopSource& source, Overview first, std::optional<Signal> chosen,
              const FullScreen& screen) {
  Live(source, std::move(first), chosen, screen).Run();
}

int ShowLines(const TopSource& source, const Overview& first, std::optional<Signal> chosen) {
  const FileDescriptor signals = TakeSignals();
  TopLines lines;
  int status = Print(lines.News(first));
  for (int asked = 1; status == 0 && (source.count == 0 || asked < source.count); ++asked) {
    const auto due = Clock::now() + source.interval;
    while (Clock::now() < due) {
      pollfd ended{.fd = signals.get(), .events = POLLIN, .revents = 0};
      ::poll(&ended, 1, MillisecondsUntil(due));
      const auto signal = NextSignal(signals);
      if (signal == SIGTSTP) ::raise(SIGSTOP);
      if (signal && signal != SIGTSTP && signal != SIGWINCH) return 0;
    }
    const auto overview = source.ask(chosen);
    status = overview
                 ? Print(lines.News(*overview))
                 : Print({Printable("the agent does not answer: " + overview.error().message)});
  }
  return status;
}

}  // namespace jettison
