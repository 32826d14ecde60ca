#include "cli/demo_terminal.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace jettison {
namespace {

constexpr std::string_view kHideCursor = "\x1b[?25l";
constexpr std::string_view kShowCursor = "\x1b[?25h";
constexpr std::string_view kClearLine = "\x1b[K";
constexpr std::string_view kClearBelow = "\x1b[J";
constexpr std::string_view kClearScreen = "\x1b[2J\x1b[H";
// A terminal that knows it shows the whole picture at once; the others ignore it.
constexpr std::string_view kBeginUpdate = "\x1b[?2026h";
constexpr std::string_view kEndUpdate = "\x1b[?2026l";

std::string_view Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The variable that decides the locale's character set, by POSIX's order of precedence.
std::string_view CharacterSetVariable() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    if (const std::string_view value = Variable(name); !value.empty()) return value;
  }
  return "";
}

bool IsUtf8(std::string_view locale) {
  for (const std::string_view name : {"UTF-8", "UTF8", "utf-8", "utf8"}) {
    if (locale.find(name) != std::string_view::npos) return true;
  }
  return false;
}

bool TakesOutput() {
  pollfd output{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  return ::poll(&output, 1, 0) == 1 && (output.revents & POLLOUT) != 0;
}

void WriteOut(std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = ::write(STDOUT_FILENO, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return;  // the terminal is gone; the demo goes on and cleans up
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

}  // namespace

TextStyle StyleOfStandardOutput() {
  const bool terminal = ::isatty(STDOUT_FILENO) == 1 && Variable("TERM") != "dumb";
  return {.color = terminal && Variable("NO_COLOR").empty(),
          .unicode = IsUtf8(CharacterSetVariable())};
}

ScreenSize SizeOfStandardOutput() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) {
    return {};
  }
  return {.columns = size.ws_col, .rows = size.ws_row};
}

std::optional<DemoTerminal> DemoTerminal::Open() {
  const std::string_view term = Variable("TERM");
  if (::isatty(STDOUT_FILENO) != 1 || term.empty() || term == "dumb") return std::nullopt;
  DemoTerminal terminal;
  terminal.size_ = SizeOfStandardOutput();
  WriteOut(kHideCursor);
  return terminal;
}

DemoTerminal::DemoTerminal(DemoTerminal&& other) noexcept
    : open_(std::exchange(other.open_, false)),
      rows_drawn_(other.rows_drawn_),
      size_(other.size_) {}

DemoTerminal::~DemoTerminal() {
  if (open_) WriteOut(kShowCursor);
}

void DemoTerminal::Draw(const std::vector<std::string>& lines) {
  if (!TakesOutput()) return;
  const ScreenSize size = SizeOfStandardOutput();
  std::string picture(kBeginUpdate);
  if (size.columns != size_.columns || size.rows != size_.rows) {
    picture += kClearScreen;  // lines were broken anew: where the picture begins is not known
  } else if (rows_drawn_ > 0) {
    picture += fmt::format("\x1b[{}A\r", rows_drawn_);
  }
  for (const std::string& line : lines) {
    picture += line;
    picture += kClearLine;
    picture += "\r\n";
  }
  picture += kClearBelow;
  picture += kEndUpdate;
  WriteOut(picture);
  rows_drawn_ = lines.size();
  size_ = size;
}

}  // namespace jettison
