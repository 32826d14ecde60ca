#include "cli/terminal/progress_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "cli/terminal/output.h"
#include "core/text/printable.h"

namespace jettison {

ProgressBar::ProgressBar(bool shown) : shown_(shown && ::isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
  Clear();
}

void ProgressBar::Clear() {
  if (percent_ >= 0) WriteToStandardError("\r\x1b[K");
  percent_ = -1;
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
