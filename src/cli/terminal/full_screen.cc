#include "cli/terminal/full_screen.h"

#include <unistd.h>

#include <string_view>
#include <utility>

#include "cli/terminal/terminal.h"

namespace jettison {
namespace {

constexpr std::string_view kAlternateScreen = "\x1b[?1049h";
constexpr std::string_view kMainScreen = "\x1b[?1049l";
constexpr std::string_view kHome = "\x1b[H";

// Keys one by one and without echo; Ctrl-C, Ctrl-Z and Ctrl-S keep their meaning.
termios KeyByKey(termios mode) {
  mode.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  mode.c_cc[VMIN] = 1;
  mode.c_cc[VTIME] = 0;
  return mode;
}

}  // namespace

std::optional<FullScreen> FullScreen::Open() {
  if (!IsScreen()) return std::nullopt;
  FullScreen screen;
  termios mode{};
  if (::tcgetattr(STDIN_FILENO, &mode) == 0) screen.before_ = mode;
  screen.Enter();
  return screen;
}

FullScreen::FullScreen(FullScreen&& other) noexcept
    : open_(std::exchange(other.open_, false)), before_(other.before_) {}

FullScreen::~FullScreen() {
  if (open_) Leave();
}

void FullScreen::Enter() const {
  if (before_) {
    const termios mode = KeyByKey(*before_);
    ::tcsetattr(STDIN_FILENO, TCSADRAIN, &mode);
  }
  WriteToTerminal(std::string(kAlternateScreen).append(kHideCursor).append(kClearScreen));
}

void FullScreen::Leave() const {
  WriteToTerminal(std::string(kShowCursor).append(kMainScreen));
  if (before_) ::tcsetattr(STDIN_FILENO, TCSADRAIN, &*before_);
}

void FullScreen::Draw(const std::vector<std::string>& lines) const {
  if (!TakesOutput()) return;
  std::string picture(kBeginUpdate);
  picture += kHome;
  std::string_view separator;
  for (const std::string& line : lines) {
    picture += separator;
    picture += line;
    picture += kClearLine;
    separator = "\r\n";
  }
  picture += kClearBelow;
  picture += kEndUpdate;
  WriteToTerminal(picture);
}

}  // namespace jettison
