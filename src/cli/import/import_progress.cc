#include "cli/import/import_progress.h"

#include <fmt/format.h>

#include <algorithm>

namespace jettison {

ImportProgress::~ImportProgress() {
  if (percent_ <= 100) fmt::print(stderr, "\r\x1b[K");
}

void ImportProgress::Draw(std::string_view what, std::uint64_t done, std::uint64_t all) {
  const std::uint64_t percent = all == 0 ? 0 : std::min<std::uint64_t>(done * 100 / all, 100);
  if (!shown_ || percent == percent_) return;
  percent_ = percent;
  fmt::print(stderr, "\r\x1b[K{}: {}%", what, percent);
}

}  // namespace jettison
