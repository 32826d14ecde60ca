#include "cli/simulate/progress_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace jettison {

ProgressBar::ProgressBar(bool shown) : shown_(shown && ::isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
  if (drawn_ >= 0) fmt::print(stderr, "\r\x1b[K");
}

void ProgressBar::Draw(double share, std::string_view what) {
  constexpr int kWidth = 40;
  const int filled = static_cast<int>(std::clamp(share, 0.0, 1.0) * kWidth);
  if (!shown_ || filled == drawn_) return;
  drawn_ = filled;
  fmt::print(stderr, "\r[{}{}] {:3.0f}% {}\x1b[K",
             std::string(static_cast<std::size_t>(filled), '#'),
             std::string(static_cast<std::size_t>(kWidth - filled), '.'), share * 100, what);
}

}  // namespace jettison
