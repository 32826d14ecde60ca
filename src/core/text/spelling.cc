#include "core/text/spelling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "core/text/number.h"

namespace jettison {
namespace {

// Longer words are not compared, because they only cost time.
constexpr std::size_t kLongestWord = 64;
// A shorter beginning of a word could be that of many.
constexpr std::size_t kShortestBeginning = 2;

// How many letters must be added, dropped, changed or swapped with the next one, case aside.
std::size_t Distance(std::string_view a, std::string_view b) {
  const auto same = [&](std::size_t i, std::size_t j) { return Lower(a[i]) == Lower(b[j]); };
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      row[j + 1] = std::min({last[j] + (same(i, j) ? 0 : 1), row[j] + 1, last[j + 1] + 1});
      const bool swapped = i > 0 && j > 0 && same(i, j - 1) && same(i - 1, j);
      if (swapped) row[j + 1] = std::min(row[j + 1], before_last[j - 1] + 1);
    }
  }
  return row.back();
}

}  // namespace

std::string_view NearestWord(std::string_view word, std::span<const std::string_view> known) {
  if (word.empty() || word.size() > kLongestWord) return {};
  std::string_view nearest;
  std::size_t least = word.size() / 3 + 1;  // the first distance that is too far
  for (const std::string_view candidate : known) {
    const bool begins = word.size() >= kShortestBeginning && candidate.starts_with(word);
    const std::size_t distance = begins ? 0 : Distance(word, candidate);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string DidYouMean(std::string_view word, std::span<const std::string_view> known) {
  const std::string_view nearest = NearestWord(word, known);
  return nearest.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", nearest);
}

std::string Alternatives(std::span<const std::string_view> words) {
  if (words.empty()) return "";
  std::string text(words.front());
  for (std::size_t i = 1; i < words.size(); ++i) {
    text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

}  // namespace jettison
