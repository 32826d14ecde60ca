#pragma once

#include <span>
#include <string>
#include <string_view>

namespace jettison {

// The known word that was most likely meant: `word` is its beginning, or differs from it in case
// only, or by at most a third of its letters; two letters that are swapped differ as one. Empty
// where none is near. Among equally near ones the first.
[[nodiscard]] std::string_view NearestWord(std::string_view word,
                                           std::span<const std::string_view> known);

// " (did you mean "X"?)", or nothing where no known word is near.
[[nodiscard]] std::string DidYouMean(std::string_view word,
                                     std::span<const std::string_view> known);

// "a, b or c".
[[nodiscard]] std::string Alternatives(std::span<const std::string_view> words);

}  // namespace jettison
