#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace jettison {

// What is to be known of an imported recording, a sentence each without its full stop: what is
// missing and what that costs, and what was assumed. A sentence is told once, however often it is
// said; of very many the first ones are told, and the others are counted.
class ImportNotes {
 public:
  static constexpr std::size_t kMost = 100;

  void Add(std::string text) {
    if (std::ranges::find(texts_, text) != texts_.end()) return;
    if (texts_.size() < kMost) {
      texts_.push_back(std::move(text));
    } else {
      ++more_;
    }
  }
  // In the order in which they were added.
  [[nodiscard]] std::vector<std::string> All() const {
    std::vector<std::string> all = texts_;
    if (more_ > 0) all.push_back(fmt::format("{} more remarks are not told", more_));
    return all;
  }

 private:
  std::vector<std::string> texts_;
  std::size_t more_ = 0;
};

}  // namespace jettison
