#include "cli/demo/demo_terminal.h"

#include <fmt/format.h>

#include <utility>

#include "cli/terminal/terminal.h"

namespace jettison {

std::optional<DemoTerminal> DemoTerminal::Open() {
  if (!IsScreen()) return std::nullopt;
  DemoTerminal terminal;
  terminal.size_ = SizeOfStandardOutput();
  WriteToTerminal(kHideCursor);
  return terminal;
}

DemoTerminal::DemoTerminal(DemoTerminal&& other) noexcept
    : open_(std::exchange(other.open_, false)),
      rows_drawn_(other.rows_drawn_),
      size_(other.size_) {}

DemoTerminal::~DemoTerminal() {
  if (open_) WriteToTerminal(kShowCursor);
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
  WriteToTerminal(picture);
  rows_drawn_ = lines.size();
  size_ = size;
}

}  // namespace jettison
