#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/terminal/text_line.h"

namespace jettison {

// A region of the terminal that is drawn again and again in place; what stood above it stays.
class DemoTerminal {
 public:
  // Absent where standard output is no terminal, or one that cannot move its cursor (TERM=dumb).
  [[nodiscard]] static std::optional<DemoTerminal> Open();
  DemoTerminal(DemoTerminal&& other) noexcept;
  DemoTerminal& operator=(DemoTerminal&&) = delete;
  // Leaves the last picture there, and the cursor below it.
  ~DemoTerminal();

  // Replaces the picture. Does nothing while the terminal takes no output (Ctrl-S).
  void Draw(const std::vector<std::string>& lines);

 private:
  DemoTerminal() = default;

  bool open_ = true;
  std::size_t rows_drawn_ = 0;
  ScreenSize size_;
};

}  // namespace jettison
