#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace jettison {

// Which of the words was meant by one that is none of them: one that it is the beginning of, else
// the one with the fewest letters added, left out, replaced or swapped, up to a third of them. The
// first of those that are equally near; empty: none is near.
[[nodiscard]] std::string NearestWord(std::string_view typed,
                                      const std::vector<std::string>& words);

}  // namespace jettison
