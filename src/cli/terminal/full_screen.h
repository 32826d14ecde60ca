#pragma once

#include <termios.h>

#include <optional>
#include <string>
#include <vector>

namespace jettison {

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
