#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal/text_line.h"

namespace jettison {

// Whether standard output is a terminal that can move its cursor.
[[nodiscard]] bool IsScreen();
// What standard output can show, from its locale, TERM and NO_COLOR (no-color.org).
[[nodiscard]] TextStyle StyleOfStandardOutput();
// Its size now; 80x24 where it is no terminal.
[[nodiscard]] ScreenSize SizeOfStandardOutput();
// How long its lines may be: as wide as a terminal is; for a file or another program as COLUMNS
// says (POSIX), and else as long as any text, because nothing is to be cut there.
[[nodiscard]] std::size_t ColumnsOfStandardOutput();

// Shows these lines from the top of the terminal, in place of what it shows; none may be longer
// than it is wide. Does nothing while the terminal takes no output (Ctrl-S).
void DrawScreen(const std::vector<std::string>& lines);

// A bar on standard error, where that is a terminal; it is gone when this is.
class ProgressBar {
 public:
  explicit ProgressBar(bool shown);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // `share` of the work, from 0 to 1; `what` stands behind it.
  void Draw(double share, std::string_view what = "");
  // Makes room for other lines on standard error, until it is drawn again.
  void Clear();

 private:
  bool shown_;
  int percent_ = -1;  // as it was drawn last
  std::string what_;  // the same
};

}  // namespace jettison
