#include "codec/documents/unique_keys.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace jettison::documents {
namespace {

// Below this size comparing all pairs is cheaper than sorting.
constexpr std::size_t kFewKeys = 16;

const std::string* RepeatedAmongFew(const Value::Map& map) {
  for (std::size_t i = 1; i < map.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (map[i].first == map[j].first) return &map[i].first;
    }
  }
  return nullptr;
}

const std::string* RepeatedAmongMany(const Value::Map& map) {
  std::vector<const std::string*> keys;
  keys.reserve(map.size());
  for (const Value::Member& member : map) keys.push_back(&member.first);
  std::ranges::sort(keys, [](const auto* a, const auto* b) { return *a < *b; });
  const auto twin =
      std::ranges::adjacent_find(keys, [](const auto* a, const auto* b) { return *a == *b; });
  return twin == keys.end() ? nullptr : *twin;
}

}  // namespace

const std::string* RepeatedKey(const Value::Map& map) {
  return map.size() <= kFewKeys ? RepeatedAmongFew(map) : RepeatedAmongMany(map);
}

}  // namespace jettison::documents
