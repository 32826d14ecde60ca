#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace jettison {

// The hash of a text, whoever holds it. A table with this hash is looked up by a string_view
// without a temporary string.
struct TextHash {
  using is_transparent = void;  // NOLINT(readability-identifier-naming): a name of the standard
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
};

// Tables by text, in no order. A look-up takes one comparison; one in a std::map of a thousand pods
// takes ten, each of UIDs that begin alike.
template <typename T>
using TextIndex = std::unordered_map<std::string, T, TextHash, std::equal_to<>>;
using TextSet = std::unordered_set<std::string, TextHash, std::equal_to<>>;

}  // namespace jettison
