#pragma once

#include <termios.h>

#include <cstddef>
#include <optional>
#include <string>
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

// The whole terminal, for as long as this lives: the alternate screen, no cursor, and keys that
// come one by one and are not echoed. What was there before is there again afterwards.
class FullScreen {
 public:
  // Absent where standard output is no terminal, or one that cannot move its cursor.
  [[nodiscard]] static std::optional<FullScreen> Open();
  FullScreen(FullScreen&& other) noexcept;
  FullScreen& operator=(FullScreen&&) = delete;
  ~FullScreen();

  // Shows these lines from the top; none may be longer than the terminal is wide. Does nothing
  // while the terminal takes no output (Ctrl-S).
  void Draw(const std::vector<std::string>& lines) const;
  // Gives the terminal back for a while (Ctrl-Z), and takes it again.
  void Leave() const;
  void Enter() const;

 private:
  FullScreen() = default;

  bool open_ = true;
  std::optional<termios> before_;  // absent: standard input is no terminal
};

}  // namespace jettison
