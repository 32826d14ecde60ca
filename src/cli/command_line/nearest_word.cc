#include "cli/command_line/nearest_word.h"

#include <algorithm>
#include <cstddef>

namespace jettison {
namespace {

// How many letters are added, left out, replaced or swapped (optimal string alignment).
std::size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> of(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        of[i][j] = i + j;
        continue;
      }
      const bool same = a[i - 1] == b[j - 1];
      of[i][j] =
          std::min({of[i - 1][j] + 1, of[i][j - 1] + 1, of[i - 1][j - 1] + (same ? 0U : 1U)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) of[i][j] = std::min(of[i][j], of[i - 2][j - 2] + 1);
    }
  }
  return of[a.size()][b.size()];
}

}  // namespace

std::string NearestWord(std::string_view typed, const std::vector<std::string>& words) {
  constexpr std::size_t kShortestBeginning = 2;
  constexpr std::size_t kLongest = 64;  // nobody means a word by more
  if (typed.size() < kShortestBeginning || typed.size() > kLongest) return "";
  std::string nearest;
  std::size_t least = std::max<std::size_t>(typed.size() / 3, 1) + 1;
  for (const std::string& word : words) {
    const std::size_t distance = word.starts_with(typed) ? 0 : Distance(typed, word);
    if (distance >= least) continue;
    least = distance;
    nearest = word;
  }
  return nearest;
}

}  // namespace jettison
