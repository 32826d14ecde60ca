#include "cli/terminal/output.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "core/text/number.h"
#include "core/text/printable.h"

namespace jettison {
namespace {

std::string_view Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// What every terminal of the last decades understands (ECMA-48, DEC private modes).
constexpr std::string_view kClearLine = "\x1b[K";
constexpr std::string_view kClearBelow = "\x1b[J";
// A terminal that knows it shows the whole picture at once; the others ignore it.
constexpr std::string_view kBeginUpdate = "\x1b[?2026h";
constexpr std::string_view kEndUpdate = "\x1b[?2026l";
constexpr std::string_view kHome = "\x1b[H";

}  // namespace

std::string PrintableLines(std::string_view text) {
  std::string lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines += Printable(text.substr(begin, end - begin));
    if (end < text.size()) lines += '\n';
    begin = end + 1;
  }
  return lines;
}

int PrintText(std::string_view text) {
  return PrintData(PrintableLines(text));
}

int PrintData(std::string_view data) {
  if (std::fwrite(data.data(), 1, data.size(), stdout) == data.size() && std::fflush(stdout) == 0) {
    return 0;
  }
  PrintError("jettison: cannot write: {}\n", std::strerror(errno));
  return kExitFailed;
}

void WriteToStandardError(std::string_view text) {
  (void)std::fwrite(text.data(), 1, text.size(), stderr);
}

int Report(const Error& error) {
  PrintError("jettison: {}\n", error.message);
  return ExitStatusOf(error);
}

void CommandFaults::Add(const std::string& fault) {
  if (!fault.empty()) Add(Error{ErrorCode::kInvalidArgument, fault});
}

void CommandFaults::Add(const Error& error) {
  status_ = std::max(status_, Report(error));
}

bool HasColors() {
  return IsScreen() && Variable("NO_COLOR").empty();
}

ScreenSize SizeOfStandardOutput() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) {
    return {};
  }
  return {.columns = size.ws_col, .rows = size.ws_row};
}

std::size_t ColumnsOfStandardOutput() {
  constexpr std::size_t kAnyWidth = std::size_t{1} << 30;
  if (::isatty(STDOUT_FILENO) == 1) return SizeOfStandardOutput().columns;
  const std::size_t columns = ParseNumber<std::size_t>(Variable("COLUMNS")).value_or(0);
  return columns > 0 ? columns : kAnyWidth;
}

bool IsScreen() {
  const std::string_view term = Variable("TERM");
  return ::isatty(STDOUT_FILENO) == 1 && !term.empty() && term != "dumb";
}

void DrawScreen(const std::vector<std::string>& lines) {
  // It would not take output without waiting after Ctrl-S.
  pollfd output{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  if (::poll(&output, 1, 0) != 1 || (output.revents & POLLOUT) == 0) return;
  std::string picture(kBeginUpdate);
  picture += kHome;
  for (const std::string& line : lines) picture.append(line).append(kClearLine).append("\r\n");
  picture.append(kClearBelow).append(kEndUpdate);
  (void)PrintData(picture);
}

ProgressBar::ProgressBar(bool shown) : shown_(shown && ::isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
  if (percent_ >= 0) WriteToStandardError("\r\x1b[K");
}

void ProgressBar::Draw(double share, std::string_view what) {
  constexpr int kWidth = 40;
  const int percent = static_cast<int>(std::clamp(share, 0.0, 1.0) * 100);
  if (!shown_ || (percent == percent_ && what == what_)) return;
  percent_ = percent;
  what_ = what;
  const auto filled = static_cast<std::size_t>(percent * kWidth / 100);
  WriteToStandardError(fmt::format("\r[{}{}] {:3}% {}\x1b[K", std::string(filled, '#'),
                                   std::string(kWidth - filled, '.'), percent, Printable(what)));
}

}  // namespace jettison
